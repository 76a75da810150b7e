/** The public view of a principal, and of a new password. */
import type { MqttEndpoint } from '../../context.ts'
import { formatId } from '../../lib/ids.ts'
import { timestamp, timestampOrNull } from '../shapes.ts'
import type { MqttCredentials, MqttPrincipalView } from './schema.ts'
import type { PrincipalRow } from './store.ts'

export interface RevisedPrincipal {
  view: MqttPrincipalView
  revision: number
}

/** @param now milliseconds since the epoch. */
export function viewOf(row: PrincipalRow, now: number): MqttPrincipalView {
  const isOver = row.expires_at !== null && row.expires_at <= now
  return {
    id: formatId('mqp', row.id),
    workspace_id: formatId('ws', row.workspace_id),
    name: row.name,
    description: row.description,
    status: row.status === 'active' && isOver ? 'expired' : row.status,
    expires_at: timestampOrNull(row.expires_at),
    rotation_overlap_s: row.rotation_overlap_s,
    last_connected_at: timestampOrNull(row.last_connected_at),
    created_by: row.created_by,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}

/** The one response that contains a new password. */
export function credentialsOf(
  { host, port, tls }: MqttEndpoint,
  username: string,
  slug: string,
  password: string,
): MqttCredentials {
  return { username, password, client_id: username, host, port, tls, topic_prefix: slug }
}
