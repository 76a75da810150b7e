/**
 * What the login of a phone is worth: the topics of the devices that its identity holds in the
 * workspace of the login, as long as it holds them. Configuration is not among them: it often holds
 * secrets that the device's owner is not meant to see.
 */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { fillTopic } from '../../../adapters/broker/topics.ts'
import type { PointReader } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { Credential } from './credential.ts'
import { nameOf } from './identity.ts'
import * as store from './phone-store.ts'

/** Devices that one login is good for; those that were claimed last. */
export { MAX_DEVICES as MAX_PHONE_DEVICES } from './phone-store.ts'

/** Of each device; `#` takes the level above it in. */
const RIGHTS: readonly [TopicRule['action'], string][] = [
  ['subscribe', 'telemetry'],
  ['subscribe', 'state'],
  ['subscribe', 'presence/#'],
  ['subscribe', 'events'],
  ['subscribe', 'ack'],
  ['publish', 'cmd/#'],
]

function rulesFor(slug: string, { id, device_key }: store.HeldDevice): TopicRule[] {
  const variables = { slug, device_key, device_id: nameOf('device', id) }
  return RIGHTS.map(([action, suffix]) => ({
    action,
    topic: fillTopic(`{slug}/{device_key}/${suffix}`, variables),
    permission: 'allow',
  }))
}

function banOf(row: store.PhoneRow, serving: readonly store.HeldDevice[]): string | undefined {
  if (row.workspace_status !== 'active') return 'workspace_inactive'
  if (!row.session_lives) return 'session_ended'
  return serving.length > 0 ? undefined : 'no_devices'
}

/** The login as it is now, by its UUID: one point read. */
export async function readPhoneCredential(
  points: PointReader,
  loginId: string,
): Promise<Credential | undefined> {
  const row = await store.findPhone(points, loginId)
  if (row === undefined) return undefined
  const devices = row.devices ?? []
  const serving = devices.filter(({ serves }) => serves)
  const name = nameOf('phone', row.id)
  return {
    kind: 'phone',
    id: row.id,
    name,
    workspaceId: row.workspace_id,
    publicWorkspaceId: formatId('ws', row.workspace_id),
    clientIds: [name],
    topicPrefix: `${row.slug}/${name}`,
    templateId: null,
    isFirst: false,
    isGone: false,
    ban: banOf(row, serving),
    expiresAt: row.expires_at,
    sessionsFrom: 0,
    secrets: [
      { generation: 1, hash: row.hash, expiresAt: null, isUsed: true, recognisedBy: undefined },
    ],
    rules: serving.flatMap((device) => rulesFor(row.slug, device)),
    refs: [row.id, row.session_id, row.moid_id, row.workspace_id, ...devices.map(({ id }) => id)],
  }
}
