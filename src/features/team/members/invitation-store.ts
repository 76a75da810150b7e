/** Queries on invitations. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

const isLate = `(status = 'pending' AND expires_at <= now())`
const columns = `workspace_id, id, email, role,
  CASE WHEN ${isLate} THEN 'expired' ELSE status END AS status!, created_by, accepted_by,
  created_at, expires_at, CASE WHEN ${isLate} THEN expires_at ELSE ended_at END AS ended_at`
/** Ends pending invitations; overdue ones become expired. */
const end = `status = CASE WHEN expires_at <= now() THEN 'expired' ELSE 'revoked' END,
  ended_at = least(expires_at, now())`

export const insertInvitation = sql('invitations.insert')`
  INSERT INTO invitations (workspace_id, id, email, role, token_hash, created_by, expires_at)
  VALUES ($workspaceId, $id, $email, $role, $tokenHash, $createdBy,
    now() + make_interval(secs => $expiresAt)) RETURNING ${columns}`
export type InvitationRow = RowOf<typeof insertInvitation>
/** How many can be accepted, and how many were created within a day. */
export const countInvitations = sql('invitations.counts')`
  SELECT count(*) FILTER (WHERE status = 'pending' AND expires_at > now()) AS pending!,
         count(*) FILTER (WHERE created_at > now() - interval '1 day') AS today!
  FROM invitations WHERE workspace_id = $workspaceId`
export const pageOfInvitations = filteredList('invitations.filtered', {
  columns: `workspace_id, id, email, role, status, created_by, accepted_by, created_at, expires_at,
    ended_at`,
  table: `(SELECT ${columns} FROM invitations) AS shown`,
  fields: {
    email: { sql: 'email' },
    role: { sql: 'role' },
    status: { sql: 'status' },
    created_by: { sql: 'created_by' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    expires_at: { sql: 'expires_at' },
  },
})
export const findInvitation = sql('invitations.by_id')`
  SELECT ${columns} FROM invitations WHERE workspace_id = $workspaceId AND id = $id`
/** Searches all workspaces: the invitee presents only the token. */
export const findByToken = sql('invitations.by_token')`
  SELECT ${columns} FROM invitations WHERE token_hash = $tokenHash`
/**
 * The members that the invited person may read.
 * @param createdBy UUID of the person who sent it, if it was one
 */
export const findContext = sql('invitations.context')`
  SELECT w.name AS workspace_name, u.id IS NOT NULL AS has_account!,
         coalesce(nullif(s.name, ''), s.email) AS invited_by?
  FROM workspaces w LEFT JOIN users u ON u.email = $email
  LEFT JOIN users s ON s.id = $createdBy?
  WHERE w.id = $workspaceId AND w.status = 'active'`
/** Gives a pending invitation another token; the former one stops working. */
export const replaceToken = sql('invitations.replace_token')`
  UPDATE invitations SET token_hash = $tokenHash
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'pending' AND expires_at > now()
  RETURNING ${columns}`
/** @returns whether it was pending, and still had this token */
export const markAccepted = sql('invitations.accept')`
  UPDATE invitations SET status = 'accepted', accepted_by = $acceptedBy?, ended_at = now()
  WHERE workspace_id = $workspaceId AND id = $id AND token_hash = $tokenHash
    AND status = 'pending' AND expires_at > now()
  RETURNING id`
export const endInvitation = sql('invitations.end')`
  UPDATE invitations SET ${end}
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'pending' RETURNING ${columns}`
export const endInvitationsOfAddress = sql('invitations.end_of_address')`
  UPDATE invitations SET ${end}
  WHERE workspace_id = $workspaceId AND email = $email AND status = 'pending'
  RETURNING ${columns}`
/** @param createdBy public ids of the creators */
export const endInvitationsMadeBy = sql('invitations.end_made_by')`
  UPDATE invitations SET ${end}
  WHERE workspace_id = $workspaceId AND created_by = ANY($creators::text[])
    AND role = ANY($roles::text[]) AND status = 'pending'
  RETURNING ${columns}`
export const markExpiredInvitations = sql('invitations.mark_expired')`
  WITH late AS (
    SELECT workspace_id, id FROM invitations
    WHERE status = 'pending' AND expires_at <= now()
    ORDER BY expires_at LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED
  ), ended AS (
    UPDATE invitations i SET status = 'expired', ended_at = i.expires_at
    FROM late WHERE i.workspace_id = late.workspace_id AND i.id = late.id
    RETURNING i.*
  )
  SELECT ${columns} FROM ended`
export const deleteEndedInvitations = sql('invitations.delete_ended')`
  WITH old AS (
    SELECT workspace_id, id FROM invitations WHERE ended_at <= now() - make_interval(days => $days)
    ORDER BY ended_at LIMIT $limit FOR UPDATE SKIP LOCKED
  )
  DELETE FROM invitations i USING old WHERE i.workspace_id = old.workspace_id AND i.id = old.id
  RETURNING 1`
