/** Schemas of the names of those who act. */
import Type, { type Static } from 'typebox'

export const MAX_ACTORS = 50

export const ListActors = Type.Object({
  ids: Type.String({
    default: '',
    maxLength: 2_048,
    description: `Ids of users and API keys, separated by commas; at most ${MAX_ACTORS}. They are what \`created_by\`, \`actor\` and \`author\` name.`,
  }),
})
export type ListActors = Static<typeof ListActors>

const Actor = Type.Object(
  {
    id: Type.String({ description: '`usr_…` or `key_…`.' }),
    label: Type.String({
      description:
        'The name; the address of a user who has none; `deleted account` where the account no longer exists.',
    }),
    is_active: Type.Boolean({
      description: 'False for a user who is no longer a member, and for a revoked key.',
    }),
    is_deleted: Type.Boolean({
      description: 'True for an account that was deleted: nothing of its name or address is kept.',
    }),
  },
  { title: 'Actor' },
)

export const ActorList = Type.Object({
  items: Type.Array(Actor, {
    description: 'Without ids that are unknown here, and of keys if the caller may not list them.',
  }),
})
export type ActorList = Static<typeof ActorList>
