/**
 * The credential of a phone's login: the topics of the devices that its identity has claimed in the
 * workspace of the login, for as long as the claims last. Configuration topics are excluded, since
 * configurations often contain secrets that the device's owner must not see.
 */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { topicFiller } from '../../../adapters/broker/topics.ts'
import type { PointReader } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { Credential } from './credential.ts'
import { nameOf } from './identity.ts'
import * as store from './store.ts'

/** Devices that one login covers: the most recently claimed ones. */
export { MAX_DEVICES as MAX_PHONE_DEVICES } from './store.ts'

/** For each device; `#` also matches the level above it. */
const RIGHTS: readonly [TopicRule['action'], string][] = [
  ['subscribe', 'telemetry'],
  ['subscribe', 'state'],
  ['subscribe', 'presence/#'],
  ['subscribe', 'events'],
  ['subscribe', 'ack'],
  ['publish', 'cmd/#'],
]

function rulesFor(slug: string, { id, device_key }: store.HeldDevice): TopicRule[] {
  const fill = topicFiller({ slug, device_key, device_id: nameOf('device', id) })
  return RIGHTS.map(([action, suffix]) => ({
    action,
    topic: fill(`{slug}/{device_key}/${suffix}`),
    permission: 'allow',
  }))
}

function denialOf(row: store.PhoneRow, serving: readonly store.HeldDevice[]): string | undefined {
  if (row.workspace_status !== 'active') return 'workspace_inactive'
  if (!row.session_lives) return 'session_ended'
  return serving.length > 0 ? undefined : 'no_devices'
}

/** The login as it is in the database, by its UUID: one point read. */
export async function readPhoneCredential(
  points: PointReader,
  loginId: string,
): Promise<Credential | undefined> {
  const row = await store.findPhone.first(points, { id: loginId })
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
    denial: denialOf(row, serving),
    expiresAt: row.expires_at,
    sessionsFrom: 0,
    secrets: [
      { generation: 1, hash: row.hash, expiresAt: null, isUsed: true, recognisedBy: undefined },
    ],
    rules: serving.flatMap((device) => rulesFor(row.slug, device)),
    refs: [row.id, row.session_id, row.moid_id, row.workspace_id, ...devices.map(({ id }) => id)],
  }
}
