/** Schemas of workspaces. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import { withDefault } from '../../../platform/lib/stored-json.ts'
import { Flag, Id, Name, NamedObject, Time, Timestamp } from '../../common/shapes.ts'

const Slug = Type.String({
  pattern: '^[a-z][a-z0-9-]{1,38}[a-z0-9]$',
  description: 'First level of all MQTT topics of the workspace. Unique in the installation.',
})

const MfaRequired = Flag('Whether members need a second factor. API keys do not.')

const MqttDurable = Flag(
  'Whether the embedded broker stores the MQTT sessions, queues and retained messages of the workspace, so that they survive a restart. It applies where the installation leaves that to its workspaces (`MOORING_MQTT_DURABLE=workspaces`), to each session from its next CONNECT on.',
)

export const CreateWorkspace = Type.Object({ name: Name, slug: Slug })
export type CreateWorkspace = Static<typeof CreateWorkspace>

export const UpdateWorkspace = Type.Object({
  name: Type.Optional(Name),
  slug: Type.Optional(Slug),
  mfa_required: Type.Optional(MfaRequired),
  mqtt_durable: Type.Optional(MqttDurable),
})
export type UpdateWorkspace = Static<typeof UpdateWorkspace>

export const WorkspaceView = NamedObject('Workspace', {
  id: Id('ws'),
  name: Type.String(),
  slug: Type.String(),
  status: Type.Enum(['active', 'suspended', 'deleting']),
  mfa_required: MfaRequired,
  mqtt_durable: MqttDurable,
  role: Type.Enum([...roles], {
    description: 'The role of the caller. A platform key is admin.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type WorkspaceView = Static<typeof WorkspaceView>

export const DeleteWorkspace = Type.Object({
  confirm: Type.String({
    maxLength: 40,
    description: 'The slug of the workspace, as confirmation.',
  }),
})

export const DeletedWorkspace = NamedObject('DeletedWorkspace', {
  id: Id('ws'),
  name: Type.String(),
  slug: Type.String(),
  status: Type.Enum(['deleting']),
  deletion: Type.Object({
    requested_at: Timestamp,
    erase_at: Time(
      'The time when the erasure of its data starts. The slug is free after the erasure.',
    ),
  }),
})
export type DeletedWorkspace = Static<typeof DeletedWorkspace>

/** Progress of an erasure; empty before it starts. */
export const Progress = Type.Object({
  /** Deleted rows by table. */
  rows: withDefault(Type.Record(Type.String(), Type.Number()), {}),
  /** Head of the audit chain before its first entry was erased. */
  head: Type.Optional(Type.Object({ seq: Type.Number(), sha256: Type.String() })),
  /** Since when no rows have been found, in milliseconds since the epoch. */
  clean_since: withDefault(Type.Union([Type.Number(), Type.Null()]), null),
})
export type Progress = Static<typeof Progress>
