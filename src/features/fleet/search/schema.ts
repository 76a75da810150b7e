/** Schemas of the search through a workspace. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../../common/shapes.ts'

export const foundKinds = [
  'device',
  'device_template',
  'device_group',
  'api_key',
  'person',
  'mqtt_principal',
  'job',
  'domain',
  'webhook',
] as const
export type FoundKind = (typeof foundKinds)[number]

export const SearchQuery = Type.Object({
  q: Type.String({
    default: '',
    maxLength: 120,
    pattern: '^[^\\u0000]*$',
    description:
      'What to look for: an id in full; of devices the beginning of the key, name or hardware id, or the end of the key; of everything else a part of the name, in any case. Nothing is found for an empty text.',
  }),
})

const Kind = Type.Enum([...foundKinds])

export const Found = Type.Object(
  {
    kind: Kind,
    id: Type.String(),
    label: Type.String({ description: 'The key of a device, the name of everything else.' }),
    detail: Type.String({
      description: 'What tells it from others with this label; may be empty.',
    }),
    status: Nullable(Type.String()),
  },
  { title: 'Found' },
)
export type Found = Static<typeof Found>

export const SearchResult = Type.Object(
  {
    items: Type.Array(Found, { description: 'At most five of each kind, the kinds in order.' }),
    left_out: Type.Array(Kind, {
      description: 'The kinds that the caller lacks the permission to read.',
    }),
  },
  { title: 'SearchResult' },
)
export type SearchResult = Static<typeof SearchResult>
