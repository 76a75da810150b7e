/** Schemas of the names of those who act, and of what they act on. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../../common/shapes.ts'

export const MAX_ACTORS = 50

export const ListActors = Type.Object({
  ids: Type.String({
    default: '',
    maxLength: 2_048,
    description: `Ids, separated by commas; at most ${MAX_ACTORS}. They are what \`created_by\`, \`actor\`, \`author\` and \`resource\` name.`,
  }),
})

const Actor = Type.Object(
  {
    id: Type.String({ description: 'As given: `usr_…`, `key_…`, `dev_…` and so on.' }),
    label: Type.String({
      description:
        'The name; the address of a user who has none; the URL of a webhook without a description; `phone of …` for a mobile identity that holds a device; the action of a job. Words such as `deleted account` or `deleted device` for what no longer exists.',
    }),
    detail: Nullable(
      Type.String({
        description:
          'What tells it apart from others of its name: the key of a device or of a template, the URL of a webhook, the address of a user. Null for others.',
      }),
    ),
    is_active: Type.Boolean({
      description:
        'False for a user who is no longer a member, for a revoked key, and for what else has ended or was disabled.',
    }),
    is_deleted: Type.Boolean({
      description: 'True for what was deleted: nothing of its name is kept.',
    }),
  },
  { title: 'Actor' },
)

export const ActorList = Type.Object({
  items: Type.Array(Actor, {
    description:
      'Without ids that are unknown here, that have no names, or that the caller may not read.',
  }),
})
export type ActorList = Static<typeof ActorList>
