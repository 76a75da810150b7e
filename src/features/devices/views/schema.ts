/** Schemas of saved views. */
import Type, { type Static } from 'typebox'
import { FILTER_LIMITS } from '../../../platform/lib/filter-grammar.ts'
import { Flag, Id, Name, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

const MEMBER = '[A-Za-z0-9_.-]{1,64}'
const COLUMN = [
  'name|device_key|hardware_id|state|status|connected|approval|template_id|tags',
  'last_seen_at|claimed_at|created_at|updated_at',
  `tags\\.${MEMBER}|custom_fields\\.${MEMBER}`,
].join('|')

const ViewFilter = Type.String({
  minLength: 1,
  maxLength: FILTER_LIMITS.length,
  description:
    'A filter in the syntax of the device list; null shows all devices. If a resource that it names is deleted later, the view stays, and the list refuses the filter.',
})

export const Columns = Type.Array(Type.String({ pattern: `^(?:${COLUMN})$`, maxLength: 80 }), {
  minItems: 1,
  maxItems: 30,
  uniqueItems: true,
  description:
    'The columns, in this order: members of a device, `tags.<key>`, `custom_fields.<name>`, or `state` for status and connection in one column. Null: the client chooses them.',
})

const IsShared = Flag(
  'Whether all members see the view. Otherwise only its creator sees it. API keys have only shared views.',
)

export const CreateView = Type.Object({
  name: Name,
  filter: Type.Optional(Nullable(ViewFilter)),
  columns: Type.Optional(Nullable(Columns)),
  is_shared: Type.Optional(IsShared),
})
export type CreateView = Static<typeof CreateView>

export const UpdateView = Type.Object({
  name: Type.Optional(Name),
  filter: Type.Optional(Nullable(ViewFilter)),
  columns: Type.Optional(Nullable(Columns)),
  is_shared: Type.Optional(IsShared),
})
export type UpdateView = Static<typeof UpdateView>

export const SavedView = NamedObject('View', {
  id: Id('view'),
  workspace_id: Id('ws'),
  name: Text('The name is unique among the shared views, or among the own views of a person.'),
  filter: Nullable(Type.String()),
  columns: Nullable(Type.Array(Type.String())),
  is_shared: Type.Boolean(),
  created_by: Text('The id of the user or key.'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type SavedView = Static<typeof SavedView>

export const SavedViews = Type.Object({ items: Type.Array(SavedView) })
export type SavedViews = Static<typeof SavedViews>
