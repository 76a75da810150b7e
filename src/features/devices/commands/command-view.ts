/** The views of a command, for staff and for its device. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { DueCommand, CommandRow } from './store.ts'
import type { CommandView, SentCommand } from './schema.ts'

export const viewOf = (row: CommandRow): CommandView => ({
  id: formatId('cmd', row.id),
  workspace_id: formatId('ws', row.workspace_id),
  device_id: formatId('dev', row.device_id),
  name: row.name,
  payload: row.payload,
  status: row.status,
  result: row.result,
  error: row.error,
  created_by: row.created_by,
  created_at: timestamp(row.created_at),
  expires_at: timestamp(row.expires_at),
  sent_at: timestampOrNull(row.sent_at),
  ended_at: timestampOrNull(row.ended_at),
})

/** What the device receives, over MQTT and HTTP alike. */
export const messageOf = (row: DueCommand): SentCommand => ({
  id: formatId('cmd', row.id),
  name: row.name,
  payload: row.payload,
  issued_at: timestamp(row.created_at),
  expires_at: timestamp(row.expires_at),
})
