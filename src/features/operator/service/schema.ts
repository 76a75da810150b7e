/** Schemas of the state of the service, its mail, its tasks and its settings. */
import Type, { type Static } from 'typebox'
import { Page, pageQuery } from '../../common/paging.ts'
import { Flag, Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const RestoredBackup = Type.Object({ backup_at: Type.String(), restored_at: Type.String() })

const Line = Type.Object({
  time: Timestamp,
  level: Type.Enum(['warn', 'error']),
  message: Type.String(),
  error: Nullable(Type.String(), 'What went wrong, and its cause where that is known.'),
  times: Integer('How often it came; `time` is of the last one.'),
})

/**
 * The response of `GET /status` of the operator port, and the output of `mooring status --json`.
 */
export const ServiceStatus = NamedObject('ServiceStatus', {
  version: Type.String(),
  started_at: Timestamp,
  problems: Type.Array(Type.String(), { description: 'Why requests cannot be served now.' }),
  database: Type.Object({
    problem: Nullable(Type.String(), 'Why it could not be asked.'),
    is_embedded: Type.Boolean(),
    restarts: Integer('How often an embedded one was started again.'),
    connections: Type.Object({
      busy: Type.Integer(),
      idle: Type.Integer(),
      waiting: Type.Integer(),
    }),
    version: Nullable(Type.String()),
    bytes: Nullable(Type.Number()),
    clock_offset_s: Type.Number(),
  }),
  mqtt: Type.Object({
    sessions: Type.Integer(),
    brokers: Type.Record(Type.String(), Type.String(), {
      description: 'The state of the bridge to each external broker, by its name.',
    }),
  }),
  backlog: Type.Object({
    tasks: Type.Object({ running: Type.Integer(), late: Type.Integer(), failed: Type.Integer() }),
    webhook_deliveries: Type.Integer(),
    webhook_lag_s: Type.Number({
      description:
        'Age of the oldest event that an enabled webhook has not read yet. Failed deliveries and those behind them are read: they are `webhook_deliveries`.',
    }),
    webhooks_failing: Integer('Enabled webhooks whose receiver accepts nothing at present.'),
    webhooks_failing_s: Type.Number({ description: 'How long one of them has failed, at most.' }),
    webhooks_failing_in: Type.Array(Type.String(), {
      description: 'Slugs of their workspaces, up to five.',
    }),
    mails: Nullable(Type.Integer(), 'Up to 10,000.'),
    mails_kept: Nullable(Type.Integer(), 'Not sent for want of a mail server, of the last 10,000.'),
    mails_failed: Nullable(Type.Integer(), 'Given up, of the last 10,000.'),
    audit_entries: Nullable(Type.Integer(), 'Up to 10,000.'),
  }),
  disk: Type.Object({ folder: Type.String(), free_bytes: Nullable(Type.Number()) }),
  certificates: Type.Object({
    listener_ends_at: Nullable(Type.String(), 'Of the listeners.'),
    domains_ending: Nullable(Type.Integer(), 'That end within `within_days`.'),
    within_days: Type.Integer(),
  }),
  restored_backup: Nullable(RestoredBackup),
  last_errors: Type.Array(Line, {
    description: 'Of the main process, oldest first, equal lines as one.',
  }),
})
export type ServiceStatus = Static<typeof ServiceStatus>

const Finding = Type.Object({
  level: Type.Enum(['problem', 'warning'], {
    description: '`problem`: something does not work, or will not within days.',
  }),
  text: Type.String(),
  advice: Text('The next step.'),
  page: Nullable(
    Type.Enum(['brokers', 'mails', 'tasks', 'workspaces']),
    'The page of the console, in its area Installation, that shows more.',
  ),
})
export type Finding = Static<typeof Finding>

export const Health = NamedObject('InstallationHealth', {
  status: ServiceStatus,
  findings: Type.Array(Finding, { description: 'Problems first.' }),
})
export type Health = Static<typeof Health>

const Setting = Type.Object({
  name: Type.String(),
  about: Type.String(),
  fallback: Text('What applies if it is not set.'),
  has_default: Flag('Whether `fallback` is a value, and not what happens without one.'),
  is_set: Type.Boolean(),
  displayed: Text('The value, unless it is secret.'),
})
export const Settings = NamedObject('InstallationSettings', { items: Type.Array(Setting) })
export type Settings = Static<typeof Settings>

const mailStatuses = ['queued', 'sent', 'kept', 'failed'] as const

export const ListMails = Type.Object({
  ...pageQuery,
  status: Type.Optional(Type.Enum([...mailStatuses])),
})
export type ListMails = Static<typeof ListMails>

export const MailView = Type.Object(
  {
    id: Id('mail'),
    to: Type.String(),
    subject: Type.String(),
    status: Type.Enum([...mailStatuses], {
      description: '`kept`: there was no mail server. `failed`: it was given up.',
    }),
    tries: Type.Integer(),
    last_error: Nullable(Type.String()),
    created_at: Timestamp,
    ended_at: Nullable(Timestamp),
  },
  { title: 'InstallationMail', description: 'Without its text, which may contain links.' },
)
export type MailView = Static<typeof MailView>
export const MailPage = Page(MailView)

const taskStates = ['running', 'waiting', 'late', 'failed'] as const

export const ListTasks = Type.Object({
  ...pageQuery,
  status: Type.Optional(Type.Enum([...taskStates])),
})
export type ListTasks = Static<typeof ListTasks>

export const TaskView = NamedObject('BackgroundTask', {
  number: Type.Integer(),
  task: Type.String(),
  status: Type.Enum([...taskStates], {
    description: '`late`: due for half a minute or more. `failed`: it was given up.',
  }),
  attempts: Type.Integer(),
  max_attempts: Type.Integer(),
  due_at: Timestamp,
  last_error: Nullable(Type.String()),
})
export type TaskView = Static<typeof TaskView>
export const TaskPage = Page(TaskView)

export const BrokerState = NamedObject('BrokerState', {
  name: Type.String(),
  kind: Type.String(),
  urls: Type.Array(Type.String(), { description: 'What devices receive to connect to.' }),
  revoke_bound_s: Nullable(
    Type.Number(),
    'Seconds within which a revocation provably takes effect.',
  ),
  bridge: Nullable(
    Type.String(),
    '`connected`, or why the service is not connected there. Null for the embedded broker, and where it does not connect.',
  ),
})
export type BrokerState = Static<typeof BrokerState>
export const Brokers = Type.Object({ items: Type.Array(BrokerState) })
export type Brokers = Static<typeof Brokers>
