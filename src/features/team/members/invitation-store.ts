/** Queries on invitations. */
import type { Role } from '../../../platform/access/permissions.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired'

export interface InvitationRow {
  workspace_id: string
  id: string
  email: string
  role: Role
  /** A pending invitation counts as expired at once, even before it is marked. */
  status: InvitationStatus
  created_by: string
  accepted_by: string | null
  created_at: number
  expires_at: number
  ended_at: number | null
}

const isLate = `(status = 'pending' AND expires_at <= now())`
const columns = `workspace_id, id, email, role,
  CASE WHEN ${isLate} THEN 'expired' ELSE status END AS status, created_by, accepted_by,
  created_at, expires_at, CASE WHEN ${isLate} THEN expires_at ELSE ended_at END AS ended_at`
/** Ends pending invitations; overdue ones become expired. */
const end = `status = CASE WHEN expires_at <= now() THEN 'expired' ELSE 'revoked' END,
  ended_at = least(expires_at, now())`

const insert = statement(
  'invitations.insert',
  `INSERT INTO invitations (workspace_id, id, email, role, token_hash, created_by, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7)) RETURNING ${columns}`,
)
const counts = statement(
  'invitations.counts',
  `SELECT count(*) FILTER (WHERE status = 'pending' AND expires_at > now()) AS pending,
          count(*) FILTER (WHERE created_at > now() - interval '1 day') AS today
   FROM invitations WHERE workspace_id = $1`,
)
const list: FilteredTable<InvitationRow> = {
  idOf: ({ id }) => id,
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
}
const byId = statement(
  'invitations.by_id',
  `SELECT ${columns} FROM invitations WHERE workspace_id = $1 AND id = $2`,
)
const byToken = statement(
  'invitations.by_token',
  `SELECT ${columns} FROM invitations WHERE token_hash = $1`,
)
const accept = statement(
  'invitations.accept',
  `UPDATE invitations SET status = 'accepted', accepted_by = $3, ended_at = now()
   WHERE workspace_id = $1 AND id = $2 AND status = 'pending' AND expires_at > now()
   RETURNING id`,
)
const endById = statement(
  'invitations.end',
  `UPDATE invitations SET ${end}
   WHERE workspace_id = $1 AND id = $2 AND status = 'pending' RETURNING ${columns}`,
)
const endOfAddress = statement(
  'invitations.end_of_address',
  `UPDATE invitations SET ${end}
   WHERE workspace_id = $1 AND email = $2 AND status = 'pending' RETURNING ${columns}`,
)
const endMadeBy = statement(
  'invitations.end_made_by',
  `UPDATE invitations SET ${end}
   WHERE workspace_id = $1 AND created_by = ANY($2::text[]) AND role = ANY($3::text[]) AND status = 'pending'
   RETURNING ${columns}`,
)
const markExpired = statement(
  'invitations.mark_expired',
  `WITH late AS (
     SELECT workspace_id, id FROM invitations
     WHERE status = 'pending' AND expires_at <= now()
     ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
   ), ended AS (
     UPDATE invitations i SET status = 'expired', ended_at = i.expires_at
     FROM late WHERE i.workspace_id = late.workspace_id AND i.id = late.id
     RETURNING i.*
   )
   SELECT ${columns} FROM ended`,
)
const deleteEnded = statement(
  'invitations.delete_ended',
  `WITH old AS (
     SELECT workspace_id, id FROM invitations WHERE ended_at <= now() - make_interval(days => $1)
     ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
   )
   DELETE FROM invitations i USING old WHERE i.workspace_id = old.workspace_id AND i.id = old.id
   RETURNING 1`,
)

export interface NewInvitation {
  workspaceId: string
  id: string
  email: string
  role: Role
  tokenHash: Buffer
  createdBy: string
  lifetimeSeconds: number
}

export async function insertInvitation(trx: Db, invitation: NewInvitation): Promise<InvitationRow> {
  const { workspaceId, id, email, role, tokenHash, createdBy, lifetimeSeconds } = invitation
  const values = [workspaceId, id, email, role, tokenHash, createdBy, lifetimeSeconds]
  return (await trx.query<InvitationRow>(insert, values))[0] as InvitationRow
}

/** How many can be accepted, and how many were created within a day. */
export async function countInvitations(
  db: Db,
  workspaceId: string,
): Promise<{ pending: number; today: number }> {
  const rows = await db.query<{ pending: number; today: number }>(counts, [workspaceId])
  return rows[0] as { pending: number; today: number }
}

export const pageOfInvitations = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

export async function findInvitation(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  return (await db.query<InvitationRow>(byId, [workspaceId, id]))[0]
}

/** Of any workspace: the invitee presents only the token. */
export async function findByToken(db: Db, tokenHash: Buffer): Promise<InvitationRow | undefined> {
  return (await db.query<InvitationRow>(byToken, [tokenHash]))[0]
}

/** @returns whether it was pending */
export async function markAccepted(
  trx: Db,
  workspaceId: string,
  id: string,
  userId: string,
): Promise<boolean> {
  return (await trx.query(accept, [workspaceId, id, userId])).length > 0
}

export async function endInvitation(
  trx: Db,
  workspaceId: string,
  id: string,
): Promise<InvitationRow | undefined> {
  return (await trx.query<InvitationRow>(endById, [workspaceId, id]))[0]
}

export const endInvitationsOfAddress = (
  trx: Db,
  workspaceId: string,
  email: string,
): Promise<InvitationRow[]> => trx.query(endOfAddress, [workspaceId, email])

/** @param createdBy public ids of the creators */
export const endInvitationsMadeBy = (
  trx: Db,
  workspaceId: string,
  createdBy: readonly string[],
  roles: readonly Role[],
): Promise<InvitationRow[]> => trx.query(endMadeBy, [workspaceId, createdBy, roles])

export const markExpiredInvitations = (trx: Db, limit: number): Promise<InvitationRow[]> =>
  trx.query(markExpired, [limit])

/** @returns the number deleted */
export const deleteEndedInvitations = async (
  db: Db,
  days: number,
  limit: number,
): Promise<number> => (await db.query(deleteEnded, [days, limit])).length
