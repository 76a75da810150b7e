/** Queries on MQTT principals. */
import { type Db, isUniqueViolation, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export interface PrincipalRow {
  workspace_id: string
  id: string
  name: string
  description: string
  status: 'active' | 'suspended'
  expires_at: number | null
  rotation_overlap_s: number
  last_connected_at: number | null
  created_by: string
  created_at: number
  updated_at: number
  revision: number
}

const columns = `workspace_id, id, name, description, status, expires_at, rotation_overlap_s,
  last_connected_at, created_by, created_at, updated_at, revision`

// Serializes creation, so that each counts the previous ones; the count must be a later statement,
// since one that waits for a lock keeps its older snapshot. Device registration is not blocked.
const holdHome = statement(
  'mqtt_principals.hold_home',
  'SELECT slug FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)
const count = statement(
  'mqtt_principals.count',
  'SELECT count(*) AS principals FROM mqtt_principals WHERE workspace_id = $1',
)
const home = statement(
  'mqtt_principals.home',
  'SELECT slug FROM workspaces WHERE id = $1 FOR KEY SHARE',
)
const insert = statement(
  'mqtt_principals.insert',
  `INSERT INTO mqtt_principals
     (workspace_id, id, name, description, expires_at, rotation_overlap_s, created_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${columns}`,
)
const list: FilteredTable<PrincipalRow> = {
  idOf: ({ id }) => id,
  columns,
  table: 'mqtt_principals',
  fields: {
    name: { sql: 'name' },
    created_by: { sql: 'created_by' },
    status: {
      sql: `CASE WHEN status = 'active' AND expires_at <= now() THEN 'expired' ELSE status END`,
    },
    expires_at: { sql: 'expires_at' },
    last_connected_at: { sql: 'last_connected_at' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
}
const byId = statement(
  'mqtt_principals.by_id',
  `SELECT ${columns} FROM mqtt_principals WHERE workspace_id = $1 AND id = $2`,
)
const lock = statement('mqtt_principals.lock', `${byId.text} FOR UPDATE`)
const update = statement(
  'mqtt_principals.update',
  `UPDATE mqtt_principals
   SET name = $3, description = $4, expires_at = $5, rotation_overlap_s = $6,
       revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const remove = statement(
  'mqtt_principals.delete',
  'DELETE FROM mqtt_principals WHERE workspace_id = $1 AND id = $2',
)
/** All current sessions started before it, even if their broker's clock is ahead of `$3`. */
const endSessions = 'sessions_from = greatest($3::bigint, 1 + last_incarnation)'
const suspend = statement(
  'mqtt_principals.suspend',
  `UPDATE mqtt_principals
   SET status = 'suspended', ${endSessions}, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
// Rows are locked in a fixed order, to avoid deadlocks.
const suspendAll = statement(
  'mqtt_principals.suspend_active',
  `WITH active AS (
     SELECT id FROM mqtt_principals
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND status = 'active' ORDER BY id FOR UPDATE
   )
   UPDATE mqtt_principals p
   SET status = 'suspended', ${endSessions}, revision = revision + 1, updated_at = now()
   FROM active WHERE p.workspace_id = $1 AND p.id = active.id RETURNING p.id`,
)
const activeByCreator = statement(
  'mqtt_principals.active_by_creator',
  `SELECT id, name FROM mqtt_principals
   WHERE workspace_id = $1 AND created_by = ANY($2::text[]) AND status = 'active' ORDER BY id`,
)
const resume = statement(
  'mqtt_principals.resume',
  `UPDATE mqtt_principals
   SET status = 'active', revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const cut = statement(
  'mqtt_principals.cut_sessions',
  `UPDATE mqtt_principals SET ${endSessions} WHERE workspace_id = $1 AND id = $2`,
)

// Without an index: a workspace has at most a thousand, and few installations ask.
const expired = statement(
  'mqtt_principals.expired',
  `SELECT workspace_id, id FROM mqtt_principals
   WHERE expires_at > to_timestamp($1::float8 / 1000) AND expires_at <= to_timestamp($2::float8 / 1000)`,
)

export interface Home {
  slug: string
  /** The number of the workspace's principals. */
  principals: number
}

/** Blocks creation of principals and changes of the slug until the transaction ends. */
export async function holdHomeOf(db: Db, workspaceId: string): Promise<Home> {
  const [held] = await db.query<Pick<Home, 'slug'>>(holdHome, [workspaceId])
  const [counted] = await db.query<Pick<Home, 'principals'>>(count, [workspaceId])
  return { ...held, ...counted } as Home
}

/** The slug, fixed until the transaction ends. */
export async function slugOf(db: Db, workspaceId: string): Promise<string> {
  return ((await db.query<{ slug: string }>(home, [workspaceId]))[0] as { slug: string }).slug
}

/** The mutable fields. */
export interface PrincipalFields {
  name: string
  description: string
  /** RFC 3339. */
  expiresAt: string | null
  rotationOverlapS: number
}

export async function insertPrincipal(
  db: Db,
  workspaceId: string,
  id: string,
  fields: PrincipalFields & { createdBy: string },
): Promise<PrincipalRow> {
  const { name, description, expiresAt, rotationOverlapS, createdBy } = fields
  const values = [workspaceId, id, name, description, expiresAt, rotationOverlapS, createdBy]
  return (await db.query<PrincipalRow>(insert, values))[0] as PrincipalRow
}

/** Whether the error is a duplicate principal name. */
export const isNameTaken = (error: unknown): boolean =>
  isUniqueViolation(error, 'mqtt_principals_name')

export const pageOfPrincipals = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

export async function findPrincipal(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<PrincipalRow | undefined> {
  return (await db.query<PrincipalRow>(byId, [workspaceId, id]))[0]
}

export async function lockPrincipal(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<PrincipalRow | undefined> {
  return (await db.query<PrincipalRow>(lock, [workspaceId, id]))[0]
}

export async function updatePrincipal(
  db: Db,
  workspaceId: string,
  id: string,
  { name, description, expiresAt, rotationOverlapS }: PrincipalFields,
): Promise<PrincipalRow> {
  const values = [workspaceId, id, name, description, expiresAt, rotationOverlapS]
  return (await db.query<PrincipalRow>(update, values))[0] as PrincipalRow
}

export async function deletePrincipal(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(remove, [workspaceId, id])
}

/** @param nowUs microseconds since the epoch. */
export async function suspendPrincipal(
  db: Db,
  workspaceId: string,
  id: string,
  nowUs: number,
): Promise<PrincipalRow> {
  return (await db.query<PrincipalRow>(suspend, [workspaceId, id, nowUs]))[0] as PrincipalRow
}

/** @param nowUs microseconds since the epoch. @returns ids of those that were active */
export async function suspendActive(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  nowUs: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(suspendAll, [workspaceId, ids, nowUs])
  return rows.map(({ id }) => id)
}

/** @param creators public ids */
export const findActiveCreatedBy = (
  db: Db,
  workspaceId: string,
  creators: readonly string[],
): Promise<Pick<PrincipalRow, 'id' | 'name'>[]> =>
  db.query(activeByCreator, [workspaceId, creators])

export async function resumePrincipal(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<PrincipalRow> {
  return (await db.query<PrincipalRow>(resume, [workspaceId, id]))[0] as PrincipalRow
}

/** @param nowUs microseconds since the epoch. */
export async function cutSessions(
  db: Db,
  workspaceId: string,
  id: string,
  nowUs: number,
): Promise<void> {
  await db.query(cut, [workspaceId, id, nowUs])
}

/** Principals of any workspace that had expired by then; milliseconds since the epoch. */
export const findExpired = (
  db: Db,
  after: number,
  until: number,
): Promise<Pick<PrincipalRow, 'workspace_id' | 'id'>[]> => db.query(expired, [after, until])
