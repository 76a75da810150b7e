/** Queries on groups and their explicit members. */
import { type Db, isUniqueViolation, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export interface GroupRow {
  workspace_id: string
  id: string
  name: string
  /** Null for a group with explicit members. */
  filter: string | null
  created_at: number
  updated_at: number
  revision: number
}

const columns = 'workspace_id, id, name, filter, created_at, updated_at, revision'

const insert = statement(
  'device_groups.insert',
  `INSERT INTO device_groups (workspace_id, id, name, filter) VALUES ($1, $2, $3, $4)
   RETURNING ${columns}`,
)
const count = statement(
  'device_groups.count',
  'SELECT count(*) AS groups FROM device_groups WHERE workspace_id = $1',
)
const list: FilteredTable<GroupRow> = {
  idOf: ({ id }) => id,
  columns,
  table: 'device_groups',
  fields: {
    name: { sql: 'name' },
    kind: { sql: `CASE WHEN filter IS NULL THEN 'static' ELSE 'dynamic' END` },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
}
const byId = statement(
  'device_groups.by_id',
  `SELECT ${columns} FROM device_groups WHERE workspace_id = $1 AND id = $2`,
)
const lock = statement('device_groups.lock', `${byId.text} FOR UPDATE`)
const update = statement(
  'device_groups.update',
  `UPDATE device_groups SET name = $3, filter = $4, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const remove = statement(
  'device_groups.delete',
  'DELETE FROM device_groups WHERE workspace_id = $1 AND id = $2',
)
const users = statement(
  'device_groups.users',
  `SELECT count(*) AS users FROM device_groups
   WHERE workspace_id = $1 AND id <> $2 AND strpos(filter, $3) > 0`,
)
const strangers = statement(
  'device_groups.strangers',
  `SELECT wanted.n::integer AS n FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, n)
   WHERE NOT EXISTS (SELECT FROM devices d WHERE d.workspace_id = $1 AND d.id = wanted.id)
   ORDER BY wanted.n LIMIT 1`,
)
// Devices are locked in a fixed order, to avoid deadlocks.
const addMembers = statement(
  'device_groups.add_members',
  `WITH wanted AS (
     SELECT d.id FROM devices d WHERE d.workspace_id = $1 AND d.id = ANY($3::uuid[])
     ORDER BY d.id FOR KEY SHARE
   )
   INSERT INTO device_group_members (workspace_id, group_id, device_id)
   SELECT $1, $2, id FROM wanted ON CONFLICT DO NOTHING RETURNING device_id AS id`,
)
const removeMembers = statement(
  'device_groups.remove_members',
  `DELETE FROM device_group_members
   WHERE workspace_id = $1 AND group_id = $2 AND device_id = ANY($3::uuid[])
   RETURNING device_id AS id`,
)

export async function insertGroup(
  db: Db,
  workspaceId: string,
  id: string,
  group: { name: string; filter: string | null },
): Promise<GroupRow> {
  const [row] = await db.query<GroupRow>(insert, [workspaceId, id, group.name, group.filter])
  return row as GroupRow
}

/** Whether the error is a duplicate group name. */
export const isNameTaken = (error: unknown): boolean =>
  isUniqueViolation(error, 'device_groups_name')

export async function countGroups(db: Db, workspaceId: string): Promise<number> {
  return (await db.query<{ groups: number }>(count, [workspaceId]))[0]?.groups ?? 0
}

export const pageOfGroups = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

export async function findGroup(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<GroupRow | undefined> {
  return (await db.query<GroupRow>(byId, [workspaceId, id]))[0]
}

export async function lockGroup(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<GroupRow | undefined> {
  return (await db.query<GroupRow>(lock, [workspaceId, id]))[0]
}

export async function updateGroup(
  db: Db,
  workspaceId: string,
  id: string,
  group: { name: string; filter: string | null },
): Promise<GroupRow> {
  const [row] = await db.query<GroupRow>(update, [workspaceId, id, group.name, group.filter])
  return row as GroupRow
}

export async function deleteGroup(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(remove, [workspaceId, id])
}

/** How many other groups' filters contain the text, an id. */
export async function countUsers(
  db: Db,
  workspaceId: string,
  id: string,
  text: string,
): Promise<number> {
  return (await db.query<{ users: number }>(users, [workspaceId, id, text]))[0]?.users ?? 0
}

/** Index of the first device that the workspace does not have. */
export async function findStranger(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<number | undefined> {
  const [row] = await db.query<{ n: number }>(strangers, [workspaceId, deviceIds])
  return row && row.n - 1
}

/** @returns how many were not in the group */
export async function insertMembers(
  db: Db,
  workspaceId: string,
  id: string,
  deviceIds: readonly string[],
): Promise<number> {
  return (await db.query(addMembers, [workspaceId, id, deviceIds])).length
}

/** @returns how many were in the group */
export async function deleteMembers(
  db: Db,
  workspaceId: string,
  id: string,
  deviceIds: readonly string[],
): Promise<number> {
  return (await db.query(removeMembers, [workspaceId, id, deviceIds])).length
}
