/** Schemas of the names of those who act, and of what they act on. */
import Type, { type Static } from 'typebox'
import { Flag, NamedObject, Nullable, Text } from '../../common/shapes.ts'

export const MAX_ACTORS = 50

export const ListActors = Type.Object({
  ids: Type.String({
    default: '',
    maxLength: 2_048,
    description: `Ids, separated by commas; at most ${MAX_ACTORS}. They are the values of \`created_by\`, \`actor\`, \`author\` and \`resource\`.`,
  }),
})

const Actor = NamedObject('Actor', {
  id: Text('The id as given: `usr_…`, `key_…`, `dev_…` and so on.'),
  label: Text(
    'The name; the address of a user who has none; the URL of a webhook without a description; `phone of …` for a mobile identity that holds a device; the action of a job. A text such as `deleted account` or `deleted device` stands for a deleted resource.',
  ),
  detail: Nullable(
    Type.String(),
    'Distinguishes resources with the same name: the key of a device or of a template, the URL of a webhook, the address of a user. Null for other kinds.',
  ),
  is_active: Flag(
    'False for former members, for revoked keys, and for other resources that have ended or were disabled.',
  ),
  is_deleted: Flag('True if the resource was deleted. Its name is not kept.'),
})

export const ActorList = Type.Object({
  items: Type.Array(Actor, {
    description:
      'Ids are omitted if they are unknown in this workspace, have no name, or belong to a kind that the caller may not read.',
  }),
})
export type ActorList = Static<typeof ActorList>
