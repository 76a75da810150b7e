/** Schemas of device groups. */
import Type, { type Static } from 'typebox'
import { FILTER_LIMITS } from '../../../platform/lib/filter-grammar.ts'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Name, Nullable, Timestamp } from '../../common/shapes.ts'

const GroupFilter = Type.String({
  minLength: 1,
  maxLength: FILTER_LIMITS.length,
  description:
    'A filter as of the list of devices: the group is what passes it at any time. It may name groups that are kept by hand, but none with a filter.',
})

export const CreateDeviceGroup = Type.Object({
  name: Name,
  filter: Type.Optional(GroupFilter),
})
export type CreateDeviceGroup = Static<typeof CreateDeviceGroup>

export const UpdateDeviceGroup = Type.Object({
  name: Type.Optional(Name),
  filter: Type.Optional(GroupFilter),
})
export type UpdateDeviceGroup = Static<typeof UpdateDeviceGroup>

/** Maximum devices added or removed per call. */
const MAX_DEVICES = 1_000

const DeviceIds = (description: string) =>
  Type.Optional(Type.Array(Id('dev'), { maxItems: MAX_DEVICES, description }))

export const ChangeMembers = Type.Object({
  add: DeviceIds('Devices to add; those that are in it already stay so.'),
  remove: DeviceIds('Devices to remove; those that are not in it are passed over.'),
})
export type ChangeMembers = Static<typeof ChangeMembers>

export const ChangedMembers = Type.Object(
  {
    added: Type.Integer({ description: 'How many were not in it before.' }),
    removed: Type.Integer({ description: 'How many were in it before.' }),
  },
  { title: 'DeviceGroupChange' },
)
export type ChangedMembers = Static<typeof ChangedMembers>

export const DeviceGroupView = Type.Object(
  {
    id: Id('grp'),
    workspace_id: Id('ws'),
    name: Type.String({ description: 'Unique in the workspace.' }),
    kind: Type.Enum(['dynamic', 'static'], {
      description: '`dynamic` groups have a filter, `static` ones are kept by hand.',
    }),
    filter: Nullable(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'DeviceGroup' },
)
export type DeviceGroupView = Static<typeof DeviceGroupView>

export const groupFields: ListFields = {
  name: { type: 'text' },
  kind: { type: 'word', words: ['dynamic', 'static'] },
  created_at: { type: 'time' },
}

export const GroupPage = Type.Object({ ...pageQuery, filter: FilterText(groupFields) })
export type GroupPage = Static<typeof GroupPage>
