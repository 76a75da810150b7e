/** Ends invitations that were not accepted: revoked, replaced or expired. */
import { type Role, roles } from '../../../platform/access/permissions.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { exhaust } from '../../../platform/database/sql.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { type Origin, serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import * as store from './invitation-store.ts'

/** The audit payload of an invitation, without its token. */
export const invitationChange = (
  action:
    | 'invitation.created'
    | 'invitation.accepted'
    | 'invitation.revoked'
    | 'invitation.expired'
    | 'invitation.refused'
    | 'invitation.link_shown',
  { workspace_id: workspaceId, id, email, role }: store.InvitationRow,
) => ({
  workspaceId,
  action,
  resource: { kind: 'invitation', id: formatId('inv', id) },
  detail: { email, role },
})

export async function recordEnded(
  trx: Db,
  origin: Origin,
  rows: readonly store.InvitationRow[],
): Promise<void> {
  for (const row of rows) {
    const action = row.status === 'expired' ? 'invitation.expired' : 'invitation.revoked'
    await record(trx, origin, invitationChange(action, row))
  }
}

/** Roles that someone may invite to. */
function mayPromise(role: Role | null): readonly Role[] {
  if (role === 'owner') return roles
  return role === 'admin' ? roles.filter((each) => each !== 'owner') : []
}

/**
 * Revokes pending invitations to the address of a leaving member, who could return with them, and
 * those the member may no longer give.
 * @returns their number
 */
export async function revokeInvitationsAbout(
  trx: Db,
  origin: Origin,
  member: { workspaceId: string; userId: string; email?: string; keeps: Role | null },
): Promise<number> {
  const { workspaceId, userId, email, keeps } = member
  const kept = mayPromise(keeps)
  const lost = roles.filter((role) => !kept.includes(role))
  const sent = await store.endInvitationsMadeBy.rows(trx, {
    workspaceId,
    creators: [formatId('usr', userId)],
    roles: lost,
  })
  const received =
    email === undefined ? [] : await store.endInvitationsOfAddress.rows(trx, { workspaceId, email })
  await recordEnded(trx, origin, [...sent, ...received])
  return sent.length + received.length
}

/**
 * Revokes invitations sent by keys that are now revoked. Call it under the lock of the memberships.
 * @param keyIds public ids
 * @returns their number
 */
export async function revokeInvitationsOfKeys(
  trx: Db,
  origin: Origin,
  workspaceId: string,
  keyIds: readonly string[],
): Promise<number> {
  const ended = await store.endInvitationsMadeBy.rows(trx, { workspaceId, creators: keyIds, roles })
  await recordEnded(trx, origin, ended)
  return ended.length
}

const EXPIRE_BATCH = 100
const DELETE_BATCH = 1_000
/** How long staff can see the outcome of an invitation. */
const ENDED_DAYS = 90

async function expireBatch(trx: Db): Promise<boolean> {
  const rows = await store.markExpiredInvitations.rows(trx, { limit: EXPIRE_BATCH })
  await recordEnded(trx, serviceOrigin, rows)
  return rows.length === EXPIRE_BATCH
}

/** Expires invitations and deletes ended ones. May run in several processes at once. */
export async function expireInvitations(db: Db): Promise<void> {
  while (await db.transaction(expireBatch));
  await exhaust(store.deleteEndedInvitations, db, { days: ENDED_DAYS, limit: DELETE_BATCH })
}

export const createMemberTasks = ({ db }: { db: Db }): Task[] => [
  { name: 'members.expire_invitations', everyMs: 30_000, run: () => expireInvitations(db) },
]
