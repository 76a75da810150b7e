/** Queries on workspaces and their owners. */
import { type Db, isUniqueViolation, statement } from '../../../platform/database/connect.ts'

export interface WorkspaceRow {
  id: string
  name: string
  slug: string
  status: 'active' | 'suspended' | 'deleting'
  mfa_required: boolean
  revision: number
  created_at: number
  updated_at: number
}

const columns = 'id, name, slug, status, mfa_required, revision, created_at, updated_at'

const lockUser = statement(
  'workspaces.lock_user',
  'SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE',
)
const countOwned = statement(
  'workspaces.count_owned',
  `SELECT count(*) AS owned FROM memberships WHERE user_id = $1 AND role = 'owner'`,
)
const insert = statement(
  'workspaces.insert',
  `WITH workspace AS (
     INSERT INTO workspaces (id, name, slug) VALUES ($1, $2, $3) RETURNING ${columns}
   ), membership AS (
     INSERT INTO memberships (workspace_id, user_id, role) SELECT id, $4::uuid, 'owner'
     FROM workspace WHERE $4::uuid IS NOT NULL
   )
   SELECT ${columns} FROM workspace`,
)
const page = statement(
  'workspaces.page',
  `SELECT ${columns} FROM workspaces
   WHERE id = ANY($1::uuid[]) AND status <> 'deleting' AND ($2::uuid IS NULL OR id < $2)
   ORDER BY id DESC LIMIT $3`,
)
const byId = statement('workspaces.by_id', `SELECT ${columns} FROM workspaces WHERE id = $1`)
const bySlug = statement(
  'workspaces.by_slug',
  `SELECT ${columns} FROM workspaces WHERE slug = $1 AND status <> 'deleting'`,
)
// FOR UPDATE rather than a weaker lock: the foreign key of a new device must wait for it.
const lock = statement('workspaces.lock', `${byId.text} FOR UPDATE`)
// A deletion waits for this lock; later callers find nothing.
const hasDevices = statement(
  'workspaces.has_devices',
  'SELECT EXISTS (SELECT FROM devices WHERE workspace_id = $1) AS found',
)
const update = statement(
  'workspaces.update',
  `UPDATE workspaces SET name = $2, slug = $3, mfa_required = $4, revision = revision + 1,
                         updated_at = now()
   WHERE id = $1 RETURNING ${columns}`,
)

/** Serializes creations by one user, so that they can be counted. */
export async function lockOwner(db: Db, userId: string): Promise<void> {
  await db.query(lockUser, [userId])
}

export async function countOwnedWorkspaces(db: Db, userId: string): Promise<number> {
  return (await db.query<{ owned: number }>(countOwned, [userId]))[0]?.owned ?? 0
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
  const { id, name, slug, ownerId } = workspace
  const rows = await db.query<WorkspaceRow>(insert, [id, name, slug, ownerId]).catch(orTaken)
  return rows?.[0]
}

/** The given workspaces after `after`, newest first. */
export const pageOfWorkspaces = (
  db: Db,
  ids: readonly string[],
  after: string | undefined,
  limit: number,
): Promise<WorkspaceRow[]> => db.query(page, [ids, after ?? null, limit])

export async function findWorkspace(db: Db, id: string): Promise<WorkspaceRow | undefined> {
  return (await db.query<WorkspaceRow>(byId, [id]))[0]
}

export async function findWorkspaceBySlug(db: Db, slug: string): Promise<WorkspaceRow | undefined> {
  return (await db.query<WorkspaceRow>(bySlug, [slug]))[0]
}

/** Locks the workspace against changes and device registration. */
export async function lockWorkspace(db: Db, id: string): Promise<WorkspaceRow | undefined> {
  return (await db.query<WorkspaceRow>(lock, [id]))[0]
}

export async function workspaceHasDevices(db: Db, id: string): Promise<boolean> {
  return (await db.query<{ found: boolean }>(hasDevices, [id]))[0]?.found === true
}

/** @returns undefined if another workspace has the slug; the transaction is then aborted */
export async function updateWorkspace(
  db: Db,
  workspace: { id: string; name: string; slug: string; mfa_required: boolean },
): Promise<WorkspaceRow | undefined> {
  const { id, name, slug, mfa_required } = workspace
  return (await db.query<WorkspaceRow>(update, [id, name, slug, mfa_required]).catch(orTaken))?.[0]
}
