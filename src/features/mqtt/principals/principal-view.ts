/** The public view of a principal. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { MqttPrincipalView } from './schema.ts'
import type { PrincipalRow } from './store.ts'

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
