/** Schemas of device groups. */
import Type, { type Static } from 'typebox'
import { FILTER_LIMITS } from '../../../platform/lib/filter-grammar.ts'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Integer, Name, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

const GroupFilter = Type.String({
  minLength: 1,
  maxLength: FILTER_LIMITS.length,
  description:
    'A filter in the syntax of the device list. The group contains the devices that currently match. The filter can refer to static groups, but not to dynamic ones.',
})

export const CreateDeviceGroup = Type.Object({ name: Name, filter: Type.Optional(GroupFilter) })
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
  add: DeviceIds('Devices to add. Devices that are members already are ignored.'),
  remove: DeviceIds('Devices to remove. Devices that are not members are ignored.'),
})
export type ChangeMembers = Static<typeof ChangeMembers>

export const ChangedMembers = NamedObject('DeviceGroupChange', {
  added: Integer('The number of devices that were added.'),
  removed: Integer('The number of devices that were removed.'),
})
export type ChangedMembers = Static<typeof ChangedMembers>

export const DeviceGroupView = NamedObject('DeviceGroup', {
  id: Id('grp'),
  workspace_id: Id('ws'),
  name: Text('Unique in the workspace.'),
  kind: Type.Enum(['dynamic', 'static'], {
    description:
      '`dynamic` groups have a filter; the devices of `static` groups are added one by one.',
  }),
  filter: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type DeviceGroupView = Static<typeof DeviceGroupView>

export const groupFields: ListFields = {
  name: { type: 'text' },
  kind: { type: 'word', words: ['dynamic', 'static'] },
  created_at: { type: 'time' },
}

export const GroupPage = Type.Object({ ...pageQuery, filter: FilterText(groupFields) })
export type GroupPage = Static<typeof GroupPage>
