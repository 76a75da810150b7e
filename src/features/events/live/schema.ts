/** Schemas of the live stream. */
import Type, { type Static } from 'typebox'
import { CommandStatus } from '../../common/command-shapes.ts'
import { Integer, NamedObject, Nullable, Text } from '../../common/shapes.ts'

export const WatchLive = Type.Object({
  watch: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      description:
        'The topics to watch, separated by commas, at most 20: `fleet` (devices, groups, templates, claims, jobs, campaigns), `workspace` (everything else), or one resource with its details: `device:dev_…` (also its state, commands, configuration and connections), `job:job_…`, `rotation_campaign:cmp_…` (also their progress), `webhook:whk_…` (also its deliveries). Default: `fleet`.',
    }),
  ),
})
export type WatchLive = Static<typeof WatchLive>

const watching = Type.Array(Type.String(), {
  description: 'The requested topics that the caller may read.',
})

export const LiveTopics = Type.Object({ watching })
export type LiveTopics = Static<typeof LiveTopics>

/** The data of each type of message; a union would cost each serialization a validation. */
export const LiveHint = NamedObject('LiveHint', {
  watching: Type.Optional(watching),
  kind: Type.Optional(Text('Of `changed`: what changed, such as `device`, `job` or `api_key`.')),
  id: Type.Optional(
    Nullable(
      Type.String(),
      'Of `changed`: its id; null for what there is once, such as the balance.',
    ),
  ),
  device_id: Type.Optional(Text('The device of a command or claim that changed.')),
  events: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Of `changed`: the types of its events since the last hint; none if only something changed that has no events, such as a state.',
    }),
  ),
  data: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Of `changed`: what is known without reading it, such as `presence`, `status`, `state_revision` or the counts of a job. Members may be added.',
      },
    ),
  ),
  count: Type.Optional(Integer('Of `skipped`: how many hints were not sent.')),
})

/** The newest commands of a device, by UUID, as a statement composes them. */
export const WatchedCommands = Type.Record(Type.String(), CommandStatus)
export type WatchedCommands = Static<typeof WatchedCommands>

/** The newest delivery of a webhook. */
export const NewestDelivery = Type.Object({
  /** UUID. */
  id: Type.String(),
  tries: Type.Integer(),
})
