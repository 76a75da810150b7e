/** Queries on workspace members. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

export type MemberRow = RowOf<typeof findMember>

const columns = 'm.user_id, u.email, u.name, m.role, m.created_at'

/** Until the end of the transaction the account is not deleted. Nothing if it is already. */
export const keepAccount = sql('memberships.keep_account')`
  SELECT id FROM users WHERE id = $userId FOR KEY SHARE`
/** @returns false if already a member */
export const insertMember = sql('memberships.insert')`
  INSERT INTO memberships (workspace_id, user_id, role) VALUES ($workspaceId, $userId, $role)
  ON CONFLICT DO NOTHING RETURNING user_id`
/** Serializes changes of a workspace's members and invitations. */
export const lockMemberships = sql('memberships.lock_workspace')`
  SELECT name, status FROM workspaces WHERE id = $id FOR NO KEY UPDATE`
/** Members, by newest account first. */
export const pageOfMembers = filteredList('memberships.filtered', {
  columns: 'workspace_id, id, user_id, email, name, role, created_at',
  table: `(SELECT m.workspace_id, m.user_id AS id, ${columns}
           FROM memberships m JOIN users u ON u.id = m.user_id) AS members`,
  fields: {
    email: { sql: 'email' },
    name: { sql: 'name' },
    role: { sql: 'role' },
    joined_at: { sql: 'created_at' },
  },
})
export const findMember = sql('memberships.by_id')`
  SELECT ${columns} FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE m.workspace_id = $workspaceId AND m.user_id = $userId`
/** The role of a member whose account is enabled. */
export const findActiveRole = sql('memberships.active_role')`
  SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE m.workspace_id = $workspaceId AND m.user_id = $userId AND u.status = 'active'`
/** `$email` is in canonical form. */
export const hasAddress = sql('memberships.has_address')`
  SELECT EXISTS (SELECT FROM memberships m JOIN users u ON u.id = m.user_id
                 WHERE m.workspace_id = $workspaceId AND u.email = $email) AS found!`
const managers = sql('memberships.managers')`
  SELECT u.email FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE m.workspace_id = $workspaceId AND m.role IN ('owner', 'admin') AND u.status = 'active'
  ORDER BY u.email`
// Owners who cannot sign in do not count, as they could not manage the workspace.
const orAnotherOwner = `(m.role <> 'owner' OR EXISTS (
  SELECT FROM memberships o JOIN users u ON u.id = o.user_id
  WHERE o.workspace_id = m.workspace_id AND o.user_id <> m.user_id AND o.role = 'owner'
    AND u.status = 'active'))`
const ownerless = sql('memberships.ownerless')`
  SELECT w.slug FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = $userId AND m.role = 'owner' AND w.status = 'active' AND NOT EXISTS (
    SELECT FROM memberships o JOIN users u ON u.id = o.user_id
    WHERE o.workspace_id = m.workspace_id AND o.role = 'owner' AND u.status = 'active')
  ORDER BY w.slug`
/** The memberships of an account, in the order in which workspaces are locked. */
export const membershipsOf = sql('memberships.of_user')`
  SELECT workspace_id, role FROM memberships WHERE user_id = $userId ORDER BY workspace_id`
/** Like `lockMemberships`, of several workspaces. */
export const lockWorkspaces = sql('memberships.lock_workspaces')`
  SELECT id FROM workspaces WHERE id = ANY($ids::uuid[]) ORDER BY id FOR NO KEY UPDATE`
/** Active workspaces in which no other owner could sign in. */
export const findOnlyOwned = sql('memberships.only_owned')`
  SELECT w.id, w.slug FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = $userId AND w.status = 'active' AND NOT ${orAnotherOwner} ORDER BY w.slug`
/**
 * Call under the lock of the memberships.
 * @returns false if the workspace would have no owner left
 */
export const writeRole = sql('memberships.set_role')`
  UPDATE memberships AS m SET role = $role
  WHERE m.workspace_id = $workspaceId AND m.user_id = $userId
    AND ($role = 'owner' OR ${orAnotherOwner})
  RETURNING m.user_id`
/**
 * Call under the lock of the memberships.
 * @returns false if the workspace would have no owner left
 */
export const deleteMember = sql('memberships.delete')`
  DELETE FROM memberships AS m WHERE m.workspace_id = $workspaceId AND m.user_id = $userId
    AND ${orAnotherOwner}
  RETURNING m.user_id`

/** The owners of a workspace who can sign in. */
export const findActiveOwners = sql('memberships.active_owners')`
  SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE m.workspace_id = $workspaceId AND m.role = 'owner' AND u.status = 'active'`

/** Slugs of workspaces owned by the user in which no owner can sign in. */
export const findOwnerless = async (db: Db, userId: string): Promise<string[]> =>
  (await ownerless.rows(db, { userId })).map(({ slug }) => slug)

export const findManagerAddresses = async (db: Db, workspaceId: string): Promise<string[]> =>
  (await managers.rows(db, { workspaceId })).map(({ email }) => email)
