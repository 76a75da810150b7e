/** Queries on workspace members. */
import type { Role } from '../../../platform/access/permissions.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export interface MemberRow {
  user_id: string
  email: string
  name: string
  role: Role
  created_at: number
}

const columns = 'm.user_id, u.email, u.name, m.role, m.created_at'

const insert = statement(
  'memberships.insert',
  `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)
   ON CONFLICT DO NOTHING RETURNING user_id`,
)
const lock = statement(
  'memberships.lock_workspace',
  'SELECT name, status FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)
const list: FilteredTable<MemberRow> = {
  idOf: ({ user_id }) => user_id,
  columns: 'workspace_id, id, user_id, email, name, role, created_at',
  table: `(SELECT m.workspace_id, m.user_id AS id, ${columns}
           FROM memberships m JOIN users u ON u.id = m.user_id) AS members`,
  fields: {
    email: { sql: 'email' },
    name: { sql: 'name' },
    role: { sql: 'role' },
    joined_at: { sql: 'created_at' },
  },
}
const byId = statement(
  'memberships.by_id',
  `SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
   WHERE m.workspace_id = $1 AND m.user_id = $2`,
)
const activeRole = statement(
  'memberships.active_role',
  `SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id
   WHERE m.workspace_id = $1 AND m.user_id = $2 AND u.status = 'active'`,
)
const hasAddress = statement(
  'memberships.has_address',
  `SELECT EXISTS (SELECT FROM memberships m JOIN users u ON u.id = m.user_id
                  WHERE m.workspace_id = $1 AND u.email = $2) AS found`,
)
const responsible = statement(
  'memberships.responsible',
  `SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
   WHERE m.workspace_id = $1 AND m.role IN ('owner', 'admin') AND u.status = 'active'
   ORDER BY u.email`,
)
// Owners who cannot sign in do not count, as they could not manage the workspace.
const orAnotherOwner = `(m.role <> 'owner' OR EXISTS (
  SELECT FROM memberships o JOIN users u ON u.id = o.user_id
  WHERE o.workspace_id = m.workspace_id AND o.user_id <> m.user_id AND o.role = 'owner'
    AND u.status = 'active'))`
const ownerless = statement(
  'memberships.ownerless',
  `SELECT w.slug FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
   WHERE m.user_id = $1 AND m.role = 'owner' AND w.status = 'active' AND NOT EXISTS (
     SELECT FROM memberships o JOIN users u ON u.id = o.user_id
     WHERE o.workspace_id = m.workspace_id AND o.role = 'owner' AND u.status = 'active')
   ORDER BY w.slug`,
)
const setRole = statement(
  'memberships.set_role',
  `UPDATE memberships AS m SET role = $3
   WHERE m.workspace_id = $1 AND m.user_id = $2 AND ($3 = 'owner' OR ${orAnotherOwner})
   RETURNING m.user_id`,
)
const remove = statement(
  'memberships.delete',
  `DELETE FROM memberships AS m WHERE m.workspace_id = $1 AND m.user_id = $2 AND ${orAnotherOwner}
   RETURNING m.user_id`,
)

/** Slugs of workspaces owned by the user in which no owner can sign in. */
export async function findOwnerless(db: Db, userId: string): Promise<string[]> {
  return (await db.query<{ slug: string }>(ownerless, [userId])).map(({ slug }) => slug)
}

export async function findResponsibleAddresses(db: Db, workspaceId: string): Promise<string[]> {
  return (await db.query<{ email: string }>(responsible, [workspaceId])).map(({ email }) => email)
}

/** @returns false if already a member */
export async function insertMember(
  db: Db,
  member: { workspaceId: string; userId: string; role: Role },
): Promise<boolean> {
  return (await db.query(insert, [member.workspaceId, member.userId, member.role])).length > 0
}

/** Serializes changes of a workspace's members and invitations. */
export async function lockMemberships(
  trx: Db,
  workspaceId: string,
): Promise<{ name: string; status: string } | undefined> {
  return (await trx.query<{ name: string; status: string }>(lock, [workspaceId]))[0]
}

/** Members, by newest account first. */
export const pageOfMembers = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

export async function findMember(
  db: Db,
  workspaceId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  return (await db.query<MemberRow>(byId, [workspaceId, userId]))[0]
}

/** The role of a member whose account is enabled. */
export async function findActiveRole(
  db: Db,
  workspaceId: string,
  userId: string,
): Promise<Role | undefined> {
  return (await db.query<{ role: Role }>(activeRole, [workspaceId, userId]))[0]?.role
}

/** @param email in canonical form */
export async function isMemberAddress(
  db: Db,
  workspaceId: string,
  email: string,
): Promise<boolean> {
  return (await db.query<{ found: boolean }>(hasAddress, [workspaceId, email]))[0]?.found === true
}

/**
 * Call under the lock of the memberships.
 * @returns false if the workspace would have no owner left
 */
export async function writeRole(
  trx: Db,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<boolean> {
  return (await trx.query(setRole, [workspaceId, userId, role])).length > 0
}

/**
 * Call under the lock of the memberships.
 * @returns false if the workspace would have no owner left
 */
export async function deleteMember(trx: Db, workspaceId: string, userId: string): Promise<boolean> {
  return (await trx.query(remove, [workspaceId, userId])).length > 0
}
