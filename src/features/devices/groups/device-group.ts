/** The rules of device groups: saved filters, and explicit sets of devices. */
import { type Context, originOf } from '../../../context.ts'
import { type Db, unlessTaken } from '../../../platform/database/connect.ts'
import { Failure, invalid, withinLimit } from '../../../platform/errors/errors.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { formatId, newUuid, uuidOf } from '../../../platform/lib/ids.ts'
import { countOneAtATime } from '../../team/active-workspaces/active-workspace.ts'
import { readDeviceFilter } from '../filters/device-filter.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { rowView } from '../../common/row-view.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'
import { lockerOf, readerOf } from '../../common/resource.ts'

const MAX_GROUPS = 1_000

const viewOf = rowView<store.GroupRow>()(schema.DeviceGroupView, {
  kind: (row) => (row.filter === null ? 'static' : 'dynamic'),
})

const requireGoodFilter = (db: Db, workspaceId: string, filter: string | undefined) =>
  readDeviceFilter({ db }, workspaceId, filter, '/filter', true)

export async function createDeviceGroup(
  context: Context,
  input: schema.CreateDeviceGroup,
): Promise<schema.DeviceGroupView> {
  const { db, workspaceId } = context
  await requireGoodFilter(db, workspaceId, input.filter)
  const creation = db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    const present = (await store.countGroups.one(trx, { workspaceId })).groups
    withinLimit(present, 'device_groups', MAX_GROUPS, 'groups of devices')
    const group = { name: input.name, filter: input.filter ?? null }
    const row = await store.insertGroup.one(trx, { workspaceId, id: newUuid(), ...group })
    const view = viewOf(row)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'device_group.created',
      resource: { kind: 'device_group', id: view.id },
      data: { device_group_id: view.id, name: view.name, kind: view.kind },
    })
    return view
  })
  return unlessTaken(creation, 'device_groups_name', 'device_group_name_taken')
}

export const listDeviceGroups = (context: Context, query: schema.GroupPage) =>
  listFiltered(context, query, {
    name: 'device-groups',
    fields: schema.groupFields,
    pageOf: store.pageOfGroups,
    view: viewOf,
  })

const read = readerOf(store.findGroup, 'device_group_not_found')
const lock = lockerOf(store.lockGroup, 'device_group_not_found')

export async function getDeviceGroup(
  context: Pick<Context, 'db' | 'workspaceId'>,
  groupId: string,
): Promise<Revised<schema.DeviceGroupView>> {
  const row = await read(context.db, context, groupId)
  return { view: viewOf(row), revision: row.revision }
}

export async function updateDeviceGroup(
  context: Context,
  groupId: string,
  input: schema.UpdateDeviceGroup,
): Promise<Revised<schema.DeviceGroupView>> {
  const { db, workspaceId } = context
  const change = db.transaction(async (trx) => {
    const before = await lock(trx, context, groupId)
    if (before.filter === null && input.filter !== undefined) {
      throw invalid('/filter', 'belongs to groups that were created with one')
    }
    await requireGoodFilter(trx, workspaceId, input.filter)
    const after = { name: input.name ?? before.name, filter: input.filter ?? before.filter }
    const row = await store.updateGroup.one(trx, { workspaceId, id: groupId, ...after })
    const view = viewOf(row)
    const changed = changedFields({ name: before.name, filter: before.filter }, after)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'device_group.updated',
      resource: { kind: 'device_group', id: view.id },
      data: { device_group_id: view.id, changed: Object.keys(changed.after) },
      detail: changed,
    })
    return { view, revision: row.revision }
  })
  return unlessTaken(change, 'device_groups_name', 'device_group_name_taken')
}

/** Devices are kept. A group named in another group's filter cannot be deleted. */
export async function deleteDeviceGroup(context: Context, groupId: string): Promise<void> {
  const { db, workspaceId } = context
  await db.transaction(async (trx) => {
    const row = await lock(trx, context, groupId)
    const id = formatId('grp', groupId)
    const { users } = await store.countUsers.one(trx, { workspaceId, id: groupId, text: id })
    if (users > 0) throw new Failure('device_group_in_use')
    await store.deleteGroup.run(trx, { workspaceId, id: groupId })
    await record(trx, originOf(context), {
      workspaceId,
      action: 'device_group.deleted',
      resource: { kind: 'device_group', id },
      data: { device_group_id: id, name: row.name },
    })
  })
}

async function requireOwnDevices(trx: Db, workspaceId: string, ids: readonly string[]) {
  const unknown = await store.findUnknownDevice.first(trx, { workspaceId, ids })
  if (unknown) throw invalid(`/add/${unknown.n - 1}`, 'is not a device of this workspace')
}

/** A device that is both added and removed is removed. */
export async function changeMembers(
  context: Context,
  groupId: string,
  input: schema.ChangeMembers,
): Promise<schema.ChangedMembers> {
  const { db, workspaceId } = context
  const uuidsOf = (ids: readonly string[] = []) => ids.map((id) => uuidOf('dev', id))
  const [add, remove] = [uuidsOf(input.add), uuidsOf(input.remove)]
  return db.transaction(async (trx) => {
    const row = await lock(trx, context, groupId)
    if (row.filter !== null) throw new Failure('device_group_has_filter')
    await requireOwnDevices(trx, workspaceId, add)
    const added = await store.insertMembers.count(trx, { workspaceId, groupId, ids: add })
    const removed = await store.deleteMembers.count(trx, {
      workspaceId,
      groupId,
      deviceIds: remove,
    })
    const id = formatId('grp', groupId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'device_group.members_changed',
      resource: { kind: 'device_group', id },
      data: { device_group_id: id, added, removed },
      detail: { add: input.add ?? [], remove: input.remove ?? [] },
    })
    return { added, removed }
  })
}
