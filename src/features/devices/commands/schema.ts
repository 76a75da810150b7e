/** Schemas of commands, for staff and for devices. */
import Type, { type Static } from 'typebox'
import { JsonObject } from '../../common/json-object.ts'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { CommandStatus, commandStatuses } from '../../common/command-shapes.ts'
import { pageQuery } from '../../common/paging.ts'
import { Flag, Id, NamedObject, Nullable, Timestamp, waitQuery } from '../../common/shapes.ts'

const CommandName = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,64}$',
  description: 'Last level of the topic `cmd/{name}`.',
})
const CommandTimeout = Type.Integer({
  minimum: 1,
  maximum: 86_400,
  default: 60,
  description: 'Seconds within which the device must acknowledge the command.',
})

export const CreateCommand = Type.Object({
  name: CommandName,
  payload: Type.Optional(JsonObject('The arguments of the command. Default: an empty object.')),
  timeout_s: Type.Optional(CommandTimeout),
})
export type CreateCommand = Static<typeof CreateCommand>

export const commandFields: ListFields = {
  name: { type: 'text' },
  status: { type: 'word', words: commandStatuses },
  error: { type: 'text' },
  created_by: { type: 'text' },
  created_at: { type: 'time' },
  ended_at: { type: 'time' },
}

export const ListCommands = Type.Object({
  ...pageQuery,
  filter: FilterText(commandFields),
  status: Type.Optional(CommandStatus),
})
export type ListCommands = Static<typeof ListCommands>

export const WaitForCommand = Type.Object({
  ...waitQuery('for the end of the command'),
})

const Anything = Type.Unsafe<unknown>({ description: 'Any JSON.' })

export const CommandView = NamedObject('Command', {
  id: Id('cmd'),
  workspace_id: Id('ws'),
  device_id: Id('dev'),
  name: Type.String(),
  payload: JsonObject('The arguments of the command.'),
  status: CommandStatus,
  result: Anything,
  error: Nullable(Type.String(), 'The error message of the device, if the command failed.'),
  created_by: Nullable(Type.String()),
  job_id: Nullable(Id('job', 'The job that has issued it.')),
  rotation_campaign_id: Nullable(Id('cmp', 'The rotation campaign that has issued it.')),
  cancelled_by: Nullable(Type.String(), 'Id of the user or key that has cancelled it.'),
  cancel_reason: Nullable(
    Type.Enum(['request', 'credentials_reset']),
    'The reason of the cancellation: on request, or because the credentials of the device were reset.',
  ),
  created_at: Timestamp,
  expires_at: Timestamp,
  sent_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
})
export type CommandView = Static<typeof CommandView>

/** The same over MQTT and HTTP. */
export const SentCommand = NamedObject('SentCommand', {
  id: Id('cmd'),
  name: Type.String(),
  payload: JsonObject('The arguments of the command.'),
  issued_at: Timestamp,
  expires_at: Timestamp,
})
export type SentCommand = Static<typeof SentCommand>

export const SentCommands = Type.Object({ items: Type.Array(SentCommand) })
export type SentCommands = Static<typeof SentCommands>

export const AckCommand = Type.Object({
  ok: Flag('Whether the device has executed the command.'),
  result: Type.Optional(Anything),
  error: Type.Optional(Type.String({ maxLength: 1_000 })),
})
export type AckCommand = Static<typeof AckCommand>

export const AckedCommand = Type.Object({ id: Id('cmd'), status: CommandStatus })
export type AckedCommand = Static<typeof AckedCommand>
