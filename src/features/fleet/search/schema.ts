/** Schemas of the search through a workspace. */
import Type, { type Static } from 'typebox'
import { NamedObject, Nullable, Text } from '../../common/shapes.ts'

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
      'The text to find: a complete id; for devices the beginning of the key, name or hardware id, or the end of the key; for other kinds a part of the name, in any case. An empty text finds nothing.',
  }),
})

const Kind = Type.Enum([...foundKinds])

export const Found = NamedObject('Found', {
  kind: Kind,
  id: Type.String(),
  label: Text('The key of a device; the name of any other resource.'),
  detail: Text('Distinguishes resources with the same label. It can be empty.'),
  status: Nullable(Type.String()),
})
export type Found = Static<typeof Found>

export const SearchResult = NamedObject('SearchResult', {
  items: Type.Array(Found, { description: 'At most five of each kind, grouped by kind.' }),
  left_out: Type.Array(Kind, {
    description: 'The kinds that the caller lacks the permission to read.',
  }),
})
export type SearchResult = Static<typeof SearchResult>
