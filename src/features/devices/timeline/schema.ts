/** Schemas of a device's timeline. */
import Type, { type Static } from 'typebox'
import { CommandStatus } from '../../common/command-shapes.ts'
import { ConnectionAttempt } from '../../common/connection-attempt.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const timelineKinds = [
  'connection',
  'command',
  'config',
  'config_report',
  'note',
  'claim',
  'credentials',
  'status',
  'change',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

export const ReadTimeline = Type.Object({
  ...pageQuery,
  kinds: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: `Only entries of these kinds, separated by commas: ${timelineKinds.map((kind) => `\`${kind}\``).join(', ')}. Default: all.`,
    }),
  ),
})
export type ReadTimeline = Static<typeof ReadTimeline>

const Kind = Type.Enum([...timelineKinds])

const Actor = Type.Object({
  kind: Text(
    'user, platform-key, provision-key, device, moid, service (Mooring itself), or anonymous.',
  ),
  id: Nullable(Type.String()),
})

const Act = Type.Object(
  {
    action: Text('The action as in the audit log, such as `device.suspended`.'),
    actor: Actor,
    detail: Type.Object({}, { additionalProperties: true }),
  },
  { description: 'For `status`, `credentials`, `claim` and `change`: an entry of the audit log.' },
)

const Command = Type.Object(
  {
    id: Id('cmd'),
    name: Type.String(),
    status: CommandStatus,
    error: Nullable(Type.String()),
    created_by: Nullable(Type.String()),
    ended_at: Nullable(Timestamp),
  },
  { description: 'For `command`: the command with its current status.' },
)

const Config = Type.Object(
  { version: Type.Integer(), changed_by: Nullable(Type.String()) },
  { description: 'For `config`: a version of the own configuration.' },
)

const Report = Type.Object(
  { version: Nullable(Type.Integer()), status: Type.String(), error: Nullable(Type.String()) },
  { description: 'For `config_report`: the report of the device about its configuration.' },
)

const Note = Type.Object(
  { id: Id('note'), text: Type.String(), author: Actor },
  { description: 'For `note`: the note.' },
)

export const TimelineEntry = Type.Object(
  {
    id: Text(
      'The id of the connection, command, note, event or entry of the audit log; for a configuration its version.',
    ),
    kind: Kind,
    at: Timestamp,
    connection: Type.Optional(ConnectionAttempt),
    command: Type.Optional(Command),
    config: Type.Optional(Config),
    report: Type.Optional(Report),
    note: Type.Optional(Note),
    act: Type.Optional(Act),
  },
  {
    title: 'TimelineEntry',
    description:
      'One member in addition to `id`, `kind` and `at` is present; it depends on the kind.',
  },
)
export type TimelineEntry = Static<typeof TimelineEntry>

export const Timeline = NamedObject('Timeline', {
  items: Type.Array(TimelineEntry),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'Pass it as `cursor` to get the next page. Null on the last page.',
  }),
  left_out: Type.Array(Kind, {
    description: 'The kinds that the caller lacks the permission to read.',
  }),
})
export type Timeline = Static<typeof Timeline>

const Ms = Type.Number({ description: 'Milliseconds since the epoch.' })

/** An entry as the statement composes it: it has one of the members. */
export const EntryRow = Type.Object({
  connection: Type.Optional(
    Type.Object({
      refusal: Nullable(Type.String()),
      attempts: Type.Integer(),
      client_id: Type.String(),
      address: Type.String(),
      protocol_version: Type.Integer(),
      at: Ms,
      last_at: Ms,
      ended_at: Nullable(Ms),
      end_reason: Nullable(Type.String()),
      session: Nullable(Type.Enum(['open', 'ended', 'unknown'])),
    }),
  ),
  command: Type.Optional(
    Type.Object({
      name: Type.String(),
      status: CommandStatus,
      error: Nullable(Type.String()),
      created_by: Nullable(Type.String()),
      ended_at: Nullable(Ms),
    }),
  ),
  config: Type.Optional(Config),
  report: Type.Optional(Report),
  note: Type.Optional(
    Type.Object({
      text: Type.String(),
      author: Type.Object({ kind: Type.String(), id: Type.String() }),
    }),
  ),
  act: Type.Optional(Act),
})
export type EntryRow = Static<typeof EntryRow>
