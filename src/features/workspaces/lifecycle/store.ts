/** Queries on workspaces and their owners. */
import { type Db, isUniqueViolation } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

const columns = 'id, name, slug, status, mfa_required, revision, created_at, updated_at'

export type WorkspaceRow = RowOf<typeof findWorkspace>

/** Serializes creations by one user, so that they can be counted. */
export const lockOwner = sql(
  'workspaces.lock_user',
  'SELECT id FROM users WHERE id = $id FOR NO KEY UPDATE',
)
const countOwned = sql(
  'workspaces.count_owned',
  `SELECT count(*) AS owned FROM memberships WHERE user_id = $userId AND role = 'owner'`,
)
const insert = sql(
  'workspaces.insert',
  `WITH workspace AS (
     INSERT INTO workspaces (id, name, slug) VALUES ($id, $name, $slug) RETURNING ${columns}
   ), membership AS (
     INSERT INTO memberships (workspace_id, user_id, role) SELECT id, $ownerId?::uuid, 'owner'
     FROM workspace WHERE $ownerId::uuid IS NOT NULL
   )
   SELECT ${columns} FROM workspace`,
)
const page = sql(
  'workspaces.page',
  `SELECT ${columns} FROM workspaces
   WHERE id = ANY($ids::uuid[]) AND status <> 'deleting' AND ($after?::uuid IS NULL OR id < $after)
   ORDER BY id DESC LIMIT $limit`,
)
export const findWorkspace = sql(
  'workspaces.by_id',
  `SELECT ${columns} FROM workspaces WHERE id = $id`,
)
export const findWorkspaceBySlug = sql(
  'workspaces.by_slug',
  `SELECT ${columns} FROM workspaces WHERE slug = $slug AND status <> 'deleting'`,
)
// FOR UPDATE rather than a weaker lock: the foreign key of a new device must wait for it.
/** Locks the workspace against changes and device registration. */
export const lockWorkspace = sql('workspaces.lock', `${findWorkspace.source} FOR UPDATE`)
// A deletion waits for this lock; later callers find nothing.
const hasDevices = sql(
  'workspaces.has_devices',
  'SELECT EXISTS (SELECT FROM devices WHERE workspace_id = $workspaceId) AS found!',
)
const update = sql(
  'workspaces.update',
  `UPDATE workspaces SET name = $name, slug = $slug, mfa_required = $mfa_required,
                         revision = revision + 1, updated_at = now()
   WHERE id = $id RETURNING ${columns}`,
)

export async function countOwnedWorkspaces(db: Db, userId: string): Promise<number> {
  return (await countOwned.one(db, { userId })).owned
}

const orTaken = (error: unknown): undefined => {
  if (isUniqueViolation(error, 'workspaces_slug_key')) return undefined
  throw error
}

/** @returns undefined if another workspace has the slug; the transaction is then aborted */
export async function insertWorkspace(
  db: Db,
  workspace: { id: string; name: string; slug: string; ownerId: string | null },
): Promise<WorkspaceRow | undefined> {
  return insert.first(db, workspace).catch(orTaken)
}

/** The given workspaces after `after`, newest first. */
export const pageOfWorkspaces = (
  db: Db,
  ids: readonly string[],
  after: string | undefined,
  limit: number,
): Promise<WorkspaceRow[]> => page.rows(db, { ids, after: after ?? null, limit })

export async function workspaceHasDevices(db: Db, id: string): Promise<boolean> {
  return (await hasDevices.one(db, { workspaceId: id })).found
}

/** @returns undefined if another workspace has the slug; the transaction is then aborted */
/** The oldest workspace that a user owns. */
export const firstOwnedWorkspace = sql(
  'workspaces.first_owned',
  `SELECT w.id FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
   WHERE m.user_id = $userId AND m.role = 'owner' AND w.status = 'active'
   ORDER BY w.id LIMIT 1`,
)

export async function updateWorkspace(
  db: Db,
  workspace: { id: string; name: string; slug: string; mfa_required: boolean },
): Promise<WorkspaceRow | undefined> {
  return update.first(db, workspace).catch(orTaken)
}
