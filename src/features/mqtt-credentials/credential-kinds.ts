/** What the credentials of each kind are read from, and what their grants are made of. */
import type { TopicRule } from '../../broker/port.ts'
import { DEFAULT_DEVICE_RULES, fillTopic, type TopicVariables } from '../../broker/topics.ts'
import type { PointReader } from '../../database/connect.ts'
import type { Credential, Secret } from './credential.ts'
import { type Identity, type IdentityKind, nameOf } from './identity.ts'
import * as store from './store.ts'

const secretsOf = ({ secrets }: store.CredentialRow): Secret[] =>
  (secrets ?? []).map(({ generation, hash, expires_at }) => ({
    generation,
    hash: Buffer.from(hash, 'base64'),
    expiresAt: expires_at,
    recognisedBy: undefined,
  }))

const filled = (rules: readonly TopicRule[], variables: TopicVariables): TopicRule[] =>
  rules.map((rule) => ({ ...rule, topic: fillTopic(rule.topic, variables) }))

/** What the rows of every kind say alike. */
const commonOf = (kind: IdentityKind, row: store.CredentialRow) => ({
  kind,
  workspaceId: row.workspace_id,
  id: row.id,
  principalId: nameOf(kind, row.id),
  sessionsFrom: row.sessions_from,
  secrets: secretsOf(row),
})

function banOfDevice(row: store.DeviceRow): string | undefined {
  if (row.workspace_status !== 'active') return 'workspace_inactive'
  if (row.approval !== 'approved') return 'not_approved'
  return row.status === 'registered' || row.status === 'active' ? undefined : row.status
}

function banOfPrincipal(row: store.PrincipalRow): string | undefined {
  if (row.workspace_status !== 'active') return 'workspace_inactive'
  return row.status === 'active' ? undefined : row.status
}

function deviceCredential(row: store.DeviceRow): Credential {
  const common = commonOf('device', row)
  const { principalId } = common
  const variables = { slug: row.slug, device_key: row.device_key, device_id: principalId }
  const template = row.mqtt_acl !== null && row.mqtt_acl.length > 0 ? row.mqtt_acl : undefined
  return {
    ...common,
    clientIds: [principalId, row.device_key],
    topicPrefix: `${row.slug}/${row.device_key}`,
    isFirst: row.status === 'registered',
    isGone: row.status === 'decommissioned',
    ban: banOfDevice(row),
    expiresAt: null,
    rules: filled(template ?? DEFAULT_DEVICE_RULES, variables),
    refs: [row.id, row.workspace_id, ...(row.template_id === null ? [] : [row.template_id])],
  }
}

/** A principal may do nothing but what its own rules say. */
function principalCredential(row: store.PrincipalRow): Credential {
  const common = commonOf('principal', row)
  return {
    ...common,
    clientIds: [common.principalId],
    topicPrefix: `${row.slug}/${common.principalId}`,
    isFirst: false,
    isGone: false,
    ban: banOfPrincipal(row),
    expiresAt: row.expires_at,
    rules: [],
    refs: [row.id, row.workspace_id],
  }
}

/** What the credential is now: one point read. */
export async function readCredential(
  points: PointReader,
  { kind, id }: Identity,
): Promise<Credential | undefined> {
  if (kind === 'device') {
    const row = await store.findDevice(points, id)
    return row && deviceCredential(row)
  }
  const row = await store.findPrincipal(points, id)
  return row && principalCredential(row)
}
