/** The views of a command, for staff and for its device. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import type { DueCommand, CommandRow } from './store.ts'
import { CommandView, type SentCommand } from './schema.ts'
import { rowView } from '../../common/row-view.ts'

export const viewOf = rowView<CommandRow>()(CommandView)

/** The command as the device receives it, over MQTT and HTTP alike. */
export const messageOf = (row: DueCommand): SentCommand => ({
  id: formatId('cmd', row.id),
  name: row.name,
  payload: row.payload,
  issued_at: timestamp(row.created_at),
  expires_at: timestamp(row.expires_at),
})
