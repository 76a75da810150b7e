/** Reads the credentials of devices, principals and phones, with the rules of their grants. */
import type { PointReader } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { Credential, Secret } from './credential.ts'
import {
  filledRules,
  rulesOfDevice,
  rulesOfPrincipal,
  type SourcedRule,
} from './effective-rules.ts'
import {
  type Identity,
  type IdentityKind,
  isLasting,
  type LastingKind,
  nameOf,
} from './identity.ts'
import { readPhoneCredential } from './phone-credential.ts'
import * as store from './store.ts'

const secretsOf = ({ secrets }: store.CredentialRow): Secret[] =>
  (secrets ?? []).map(({ generation, hash, expires_at, is_used }) => ({
    generation,
    hash,
    expiresAt: expires_at,
    isUsed: is_used,
    recognisedBy: undefined,
  }))

/** The members that all kinds have in common. */
const commonOf = (kind: IdentityKind, row: store.CredentialRow) => ({
  kind,
  id: row.id,
  name: nameOf(kind, row.id),
  workspaceId: row.workspace_id,
  publicWorkspaceId: formatId('ws', row.workspace_id),
  sessionsFrom: row.sessions_from,
  secrets: secretsOf(row),
})

function denialOfDevice(row: store.DeviceRow): string | undefined {
  if (row.workspace_status !== 'active') return 'workspace_inactive'
  if (row.approval !== 'approved') return 'not_approved'
  return row.status === 'registered' || row.status === 'active' ? undefined : row.status
}

function denialOfPrincipal(row: store.PrincipalRow): string | undefined {
  if (row.workspace_status !== 'active') return 'workspace_inactive'
  return row.status === 'active' ? undefined : row.status
}

function deviceCredential(row: store.DeviceRow, rules: readonly SourcedRule[]): Credential {
  const common = commonOf('device', row)
  const { name } = common
  const variables = { slug: row.slug, device_key: row.device_key, device_id: name }
  return {
    ...common,
    clientIds: [name, row.device_key],
    topicPrefix: `${row.slug}/${row.device_key}`,
    templateId: row.template_id,
    isFirst: row.status === 'registered',
    isGone: row.status === 'decommissioned',
    denial: denialOfDevice(row),
    expiresAt: null,
    rules: filledRules(rules, variables),
    refs: [row.id, row.workspace_id, ...(row.template_id === null ? [] : [row.template_id])],
  }
}

function principalCredential(row: store.PrincipalRow, rules: readonly SourcedRule[]): Credential {
  const common = commonOf('principal', row)
  return {
    ...common,
    clientIds: [common.name],
    topicPrefix: `${row.slug}/${common.name}`,
    templateId: null,
    isFirst: false,
    isGone: false,
    denial: denialOfPrincipal(row),
    expiresAt: row.expires_at,
    rules: filledRules(rules, { slug: row.slug, principal_id: common.name }),
    refs: [row.id, row.workspace_id],
  }
}

export interface SourcedCredential {
  credential: Credential
  /** The origin of each of its rules, in the same order. */
  sources: readonly SourcedRule[]
  /** The device's template; the version is its revision. */
  template: { id: string; version: number } | null
}

/** The batched reads of credentials. */
export interface CredentialReads extends store.LastingReads {
  points: PointReader
}

export const credentialReads = (points: PointReader): CredentialReads => ({
  points,
  ...store.lastingReads(points),
})

/**
 * The credential as it is in the database, and the origin of its rules: one point read.
 * @param simulated for a device: rules in place of those of its template
 */
export async function readSourced(
  { devices, principals }: CredentialReads,
  { kind, id }: Pick<Identity<LastingKind>, 'kind' | 'id'>,
  simulated?: Parameters<typeof rulesOfDevice>[1],
): Promise<SourcedCredential | undefined> {
  if (kind === 'device') {
    const row = await devices.find(id)
    if (row === undefined) return undefined
    const sources = rulesOfDevice(row.own_rules, simulated ?? row.mqtt_acl)
    const { template_id, template_revision: version } = row
    const template = template_id === null || version === null ? null : { id: template_id, version }
    return { credential: deviceCredential(row, sources), sources, template }
  }
  const row = await principals.find(id)
  if (row === undefined) return undefined
  const sources = rulesOfPrincipal(row.own_rules)
  return { credential: principalCredential(row, sources), sources, template: null }
}

/** The credential as it is in the database: one point read. */
export const readCredential = async (
  reads: CredentialReads,
  identity: Identity,
): Promise<Credential | undefined> =>
  isLasting(identity)
    ? (await readSourced(reads, identity))?.credential
    : readPhoneCredential(reads.points, identity.id)
