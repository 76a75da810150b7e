/** How far commands are, for those of a device and those of a job. */
import Type, { type Static } from 'typebox'
import { Flag, Id, Integer, NamedObject } from './shapes.ts'

export const commandStatuses = [
  'pending',
  'sent',
  'acknowledged',
  'failed',
  'timed_out',
  'cancelled',
] as const
export const CommandStatus = Type.Enum([...commandStatuses], {
  description:
    '`pending` until the device receives it, then `sent`, and then `acknowledged` or `failed` as the device reports. `timed_out` if the device does not report in time.',
})

export const CommandCounts = NamedObject('CommandCounts', {
  pending: Integer('Commands that the device has not received yet.'),
  sent: Integer('Commands that were sent and have no response yet.'),
  acknowledged: Integer('Commands that the device reported as done.'),
  failed: Integer('Commands that the device reported as failed.'),
  timed_out: Integer('Commands without a response in time.'),
  cancelled: Type.Integer(),
  is_lower_bound: Flag('Whether there may be more: counting stops at 10,000 commands.'),
})
export type CommandCounts = Static<typeof CommandCounts>

/** How far the command of one device of a job is. */
export const CommandState = Type.Object({ id: Id('cmd'), status: CommandStatus })
export type CommandState = Static<typeof CommandState>
