/** How far commands are, for those of a device and those of a job. */
import Type, { type Static } from 'typebox'
import { Id } from './shapes.ts'

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

export const CommandCounts = Type.Object(
  {
    pending: Type.Integer({ description: 'Not fetched by the device yet.' }),
    sent: Type.Integer({ description: 'Sent, and not answered yet.' }),
    acknowledged: Type.Integer({ description: 'Done, as the device says.' }),
    failed: Type.Integer({ description: 'Failed, as the device says.' }),
    timed_out: Type.Integer({ description: 'Not answered in time.' }),
    cancelled: Type.Integer(),
    is_lower_bound: Type.Boolean({
      description: 'Whether there may be more: counting stops at 10,000 commands.',
    }),
  },
  { title: 'CommandCounts' },
)
export type CommandCounts = Static<typeof CommandCounts>

/** How far the command of one device of a job is. */
export const CommandState = Type.Object({ id: Id('cmd'), status: CommandStatus })
export type CommandState = Static<typeof CommandState>
