/** Queries on groups and their explicit members. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

export type GroupRow = RowOf<typeof insertGroup>

const columns = 'workspace_id, id, name, filter, created_at, updated_at, revision'

export const insertGroup = sql('device_groups.insert')`
  INSERT INTO device_groups (workspace_id, id, name, filter)
  VALUES ($workspaceId, $id, $name, $filter?)
  RETURNING ${columns}`
export const countGroups = sql('device_groups.count')`
  SELECT count(*) AS groups FROM device_groups WHERE workspace_id = $workspaceId`
export const pageOfGroups = filteredList('device_groups.filtered', {
  columns,
  table: 'device_groups',
  fields: {
    name: { sql: 'name' },
    kind: { sql: `CASE WHEN filter IS NULL THEN 'static' ELSE 'dynamic' END` },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
})
export const findGroup = sql('device_groups.by_id')`
  SELECT ${columns} FROM device_groups WHERE workspace_id = $workspaceId AND id = $id`
export const lockGroup = sql('device_groups.lock')`${findGroup.source} FOR UPDATE`
export const updateGroup = sql('device_groups.update')`
  UPDATE device_groups
  SET name = $name, filter = $filter?, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const deleteGroup = sql('device_groups.delete')`
  DELETE FROM device_groups WHERE workspace_id = $workspaceId AND id = $id`
/** How many other groups' filters contain the text, an id. */
export const countUsers = sql('device_groups.users')`
  SELECT count(*) AS users FROM device_groups
  WHERE workspace_id = $workspaceId AND id <> $id AND strpos(filter, $text) > 0`
/** The position, from 1, of the first device that the workspace does not have. */
export const findUnknownDevice = sql('device_groups.missing_devices')`
  SELECT wanted.n::integer AS n! FROM unnest($ids::uuid[]) WITH ORDINALITY AS wanted (id, n)
  WHERE NOT EXISTS (SELECT FROM devices d WHERE d.workspace_id = $workspaceId AND d.id = wanted.id)
  ORDER BY wanted.n LIMIT 1`
// Devices are locked in a fixed order, to avoid deadlocks.
/** @returns how many were not in the group */
export const insertMembers = sql('device_groups.add_members')`
  WITH wanted AS (
    SELECT d.id FROM devices d WHERE d.workspace_id = $workspaceId AND d.id = ANY($ids::uuid[])
    ORDER BY d.id FOR KEY SHARE
  )
  INSERT INTO device_group_members (workspace_id, group_id, device_id)
  SELECT $workspaceId, $groupId, id FROM wanted ON CONFLICT DO NOTHING RETURNING device_id AS id`
/** @returns how many were in the group */
export const deleteMembers = sql('device_groups.remove_members')`
  DELETE FROM device_group_members
  WHERE workspace_id = $workspaceId AND group_id = $groupId AND device_id = ANY($deviceIds::uuid[])
  RETURNING device_id AS id`
