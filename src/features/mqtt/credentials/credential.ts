/**
 * An MQTT credential of any kind of principal: how it is read with the rules of its grants, how a
 * presented secret is found, and the grants that are issued for it.
 */
import { hash } from 'node:crypto'
import type { Grant, GrantBasis, Session, TopicRule } from '../../../adapters/broker/port.ts'
import { topicFiller } from '../../../adapters/broker/topics.ts'
import type { TrafficMeter } from '../../../adapters/broker/traffic-meter.ts'
import type { PointReader } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { constantTimeEqual } from '../../../platform/lib/secrets.ts'
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
import type { HeldDevice } from './schema.ts'
import * as store from './store.ts'

/** Devices that one login of a phone covers: the most recently claimed ones. */
export { MAX_DEVICES as MAX_PHONE_DEVICES } from './store.ts'

export interface Secret {
  generation: number
  /** In base64: a small buffer would keep the whole pool alive that it is a slice of. */
  hash: string
  /** Milliseconds since the epoch; null once it is confirmed. */
  expiresAt: number | null
  /** Whether the database records that the secret was presented. */
  isUsed: boolean
  /** SHA-256 of the text, in base64, once it was presented in this process. */
  recognisedBy: string | undefined
}

export interface Credential extends Identity {
  workspaceId: string
  publicWorkspaceId: string
  /** Its client ids; each may be followed by `:` and a suffix. */
  clientIds: readonly string[]
  topicPrefix: string
  /** UUID of the device's template. */
  templateId: string | null
  /** Whether it has never connected before, to the best of our knowledge. */
  isFirst: boolean
  /** Whether it will never be admitted again. */
  isGone: boolean
  /** Why it is denied although its secret is right; undefined if it is admitted. */
  denial: string | undefined
  /** When it expires, in milliseconds since the epoch; null: never. */
  expiresAt: number | null
  /** Sessions with a smaller incarnation are ended. */
  sessionsFrom: number
  secrets: readonly Secret[]
  /** In order of precedence, with all variables substituted. */
  rules: readonly TopicRule[]
  /** UUIDs of the rows that it was read from: a change of any of them may change it. */
  refs: readonly string[]
}

/** Kinds of changes that may affect a credential. */
export const credentialChanges = [
  'device',
  'moid-devices',
  'moid-session',
  'mqtt-login',
  'mqtt-principal',
  'template',
  'workspace',
] as const

/** Whether it has not expired. */
export const isLive = ({ expiresAt }: Pick<Secret, 'expiresAt'>, now: number): boolean =>
  expiresAt === null || expiresAt > now

/** SHA-256, in base64. */
export const plainHashOf = (secret: Buffer): string => hash('sha256', secret, 'base64')

/**
 * The presented secret, if it was presented here before. The plain hash costs a tenth of the keyed
 * one and the checksum. The comparison need not take constant time: even the whole hash of 256
 * random bits does not help to find them.
 */
export const recogniseSecret = (
  credential: Credential,
  plainHash: string,
  now: number,
): Secret | undefined =>
  credential.secrets.find((secret) => secret.recognisedBy === plainHash && isLive(secret, now))

/** The presented secret, if it is one of the credential's and has not expired. */
export function matchSecret(credential: Credential, hash: Buffer, now: number): Secret | undefined {
  let found: Secret | undefined
  for (const secret of credential.secrets) {
    const equal = constantTimeEqual(Buffer.from(secret.hash, 'base64'), hash)
    if (equal && isLive(secret, now)) found = secret
  }
  return found
}

/** A credential and the one of its secrets that was presented. */
export interface Match {
  credential: Credential
  secret: Secret
}

export function matchOf(
  credential: Credential | undefined,
  keyedHash: Buffer,
  now: number,
): Match | undefined {
  const secret = credential && matchSecret(credential, keyedHash, now)
  return credential && secret && { credential, secret }
}

export const grantOf = (
  credential: Credential,
  generation: number,
  meter?: TrafficMeter,
  basis?: GrantBasis,
): Grant => ({
  principalId: credential.name,
  workspaceId: credential.publicWorkspaceId,
  credentialVersion: generation,
  topicPrefix: credential.topicPrefix,
  isFirst: credential.isFirst,
  expiresAt: credential.expiresAt,
  // A retained command would be delivered even after the device was claimed by somebody else.
  mayRetain: credential.kind !== 'phone',
  rules: credential.rules,
  meter,
  basis,
})

/** The generation of its newest secret that has not expired; 0 if it has none. */
export const newestGeneration = ({ secrets }: Pick<Credential, 'secrets'>, now: number): number =>
  secrets.reduce(
    (newest, secret) => (isLive(secret, now) ? Math.max(newest, secret.generation) : newest),
    0,
  )

/** Whether a live session has the current rules of its credential. */
export const hasRulesOf = (
  { rules }: Pick<Credential, 'rules'>,
  { grant }: Pick<Session, 'grant'>,
): boolean => grant.rules === rules || JSON.stringify(grant.rules) === JSON.stringify(rules)

const secretsOf = ({ secrets }: store.CredentialRow): Secret[] =>
  (secrets ?? []).map(({ generation, hash, expires_at, is_used }) => ({
    generation,
    hash,
    expiresAt: expires_at,
    isUsed: is_used,
    recognisedBy: undefined,
  }))

/** The members that all kinds have in common, and defaults of the others. */
const commonOf = (kind: IdentityKind, row: Pick<store.CredentialRow, 'id' | 'workspace_id'>) => ({
  kind,
  id: row.id,
  name: nameOf(kind, row.id),
  workspaceId: row.workspace_id,
  publicWorkspaceId: formatId('ws', row.workspace_id),
  templateId: null,
  isFirst: false,
  isGone: false,
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
    sessionsFrom: row.sessions_from,
    secrets: secretsOf(row),
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
    denial: denialOfPrincipal(row),
    expiresAt: row.expires_at,
    sessionsFrom: row.sessions_from,
    secrets: secretsOf(row),
    rules: filledRules(rules, { slug: row.slug, principal_id: common.name }),
    refs: [row.id, row.workspace_id],
  }
}

/**
 * The rights of a phone on each device that its identity has claimed, as long as the claim lasts;
 * `#` also matches the level above it. Configuration topics are excluded: configurations often
 * contain secrets that the device's owner must not see.
 */
const PHONE_RIGHTS: readonly [TopicRule['action'], string][] = [
  ['subscribe', 'telemetry'],
  ['subscribe', 'state'],
  ['subscribe', 'presence/#'],
  ['subscribe', 'events'],
  ['subscribe', 'ack'],
  ['publish', 'cmd/#'],
]

function phoneRules(slug: string, { id, device_key }: HeldDevice): TopicRule[] {
  const fill = topicFiller({ slug, device_key, device_id: nameOf('device', id) })
  return PHONE_RIGHTS.map(([action, suffix]) => ({
    action,
    topic: fill(`{slug}/{device_key}/${suffix}`),
    permission: 'allow',
  }))
}

function denialOfPhone(row: store.PhoneRow, serving: readonly HeldDevice[]): string | undefined {
  if (row.workspace_status !== 'active') return 'workspace_inactive'
  if (!row.session_lives) return 'session_ended'
  return serving.length > 0 ? undefined : 'no_devices'
}

/** A phone's login as it is in the database, by its UUID: one point read. */
async function readPhone(points: PointReader, loginId: string): Promise<Credential | undefined> {
  const row = await store.findPhone.first(points, { id: loginId })
  if (row === undefined) return undefined
  const devices = row.devices ?? []
  const serving = devices.filter(({ serves }) => serves)
  const common = commonOf('phone', row)
  return {
    ...common,
    clientIds: [common.name],
    topicPrefix: `${row.slug}/${common.name}`,
    denial: denialOfPhone(row, serving),
    expiresAt: row.expires_at,
    sessionsFrom: 0,
    secrets: [
      { generation: 1, hash: row.hash, expiresAt: null, isUsed: true, recognisedBy: undefined },
    ],
    rules: serving.flatMap((device) => phoneRules(row.slug, device)),
    refs: [row.id, row.session_id, row.moid_id, row.workspace_id, ...devices.map(({ id }) => id)],
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
    : readPhone(reads.points, identity.id)
