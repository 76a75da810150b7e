/** The rules of membership: roles in a workspace. The last owner cannot leave. */
import { narrower, type Role } from '../../access/permissions.ts'
import type { StaffCaller } from '../../access/principal.ts'
import { type Context, originOf, type Services } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Origin } from '../../events/event.ts'
import { changedFields, record } from '../../events/record.ts'
import { formatId } from '../../lib/ids.ts'
import { liveKeysMadeBy } from '../key-lineage/key-lineage.ts'
import { listFiltered } from '../filtered-lists/filtered-list.ts'
import { timestamp } from '../shapes.ts'
import { lockToAct } from './acting.ts'
import { revokeInvitationsAbout } from './invitation-revocation.ts'
import { type ListMembers, memberFields, type MemberView, type RemovedMember } from './schema.ts'
import * as store from './store.ts'

export { findOwnerless } from './store.ts'

const viewOf = (row: store.MemberRow): MemberView => ({
  user_id: formatId('usr', row.user_id),
  email: row.email,
  name: row.name,
  role: row.role,
  joined_at: timestamp(row.created_at),
})

const resourceOf = (userId: string) => ({ kind: 'user', id: formatId('usr', userId) })

/**
 * Adds a user to a workspace.
 * @throws Failure already_member
 */
export async function addMember(
  services: Pick<Services, 'db' | 'feed'>,
  origin: Origin,
  member: { workspaceId: string; userId: string; role: Role; invitationId?: string },
): Promise<void> {
  const { workspaceId, userId, role, invitationId } = member
  await services.db.transaction(async (trx) => {
    if (!(await store.insertMember(trx, member))) throw new Failure('already_member')
    // Nothing is narrowed, but cached sessions of the user lack the workspace.
    await services.feed.announce(trx, 'user', userId)
    const resource = resourceOf(userId)
    await record(trx, origin, {
      workspaceId,
      action: 'member.added',
      resource,
      data: { user_id: resource.id, role },
      ...(invitationId !== undefined && { detail: { invitation_id: invitationId } }),
    })
  })
}

export function listMembers(
  context: Context<StaffCaller>,
  query: ListMembers,
): Promise<{ items: MemberView[]; next_cursor: string | null }> {
  return listFiltered(context, query, {
    name: 'members',
    fields: memberFields,
    pageOf: store.pageOfMembers,
    view: viewOf,
  })
}

const lastOwner = (): Failure => new Failure('last_owner')

/**
 * @throws Failure member_not_found, last_owner, or permission_denied for non-owners changing owners
 */
export async function changeRole(
  context: Context<StaffCaller>,
  userId: string,
  role: Role,
): Promise<MemberView> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    const { demand } = await lockToAct(context, trx)
    demand('members.write')
    const before = await store.findMember(trx, workspaceId, userId)
    if (before === undefined) throw new Failure('member_not_found')
    if (before.role === 'owner' || role === 'owner') demand('owners.write')
    if (before.role === role) return viewOf(before)
    if (!(await store.writeRole(trx, workspaceId, userId, role))) throw lastOwner()
    const origin = originOf(context)
    // Invitations that the member may no longer give are revoked.
    if (narrower(before.role, role) === role) {
      await revokeInvitationsAbout(trx, origin, { workspaceId, userId, keeps: role })
    }
    await feed.announce(trx, 'user', userId)
    const resource = resourceOf(userId)
    await record(trx, origin, {
      workspaceId,
      action: 'member.updated',
      resource,
      data: { user_id: resource.id, role },
      detail: changedFields({ role: before.role }, { role }),
    })
    return viewOf({ ...before, role })
  })
}

/**
 * Removes a member; members may remove themselves. What they created stays in the workspace, except
 * pending invitations.
 * @throws Failure member_not_found, last_owner, permission_denied
 */
export async function removeMember(
  context: Context<StaffCaller>,
  userId: string,
): Promise<RemovedMember> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    const { demand, isSelf } = await lockToAct(context, trx)
    const others = !isSelf(userId)
    if (others) demand('members.write')
    const before = await store.findMember(trx, workspaceId, userId)
    if (before === undefined) throw new Failure('member_not_found')
    if (others && before.role === 'owner') demand('owners.write')
    if (!(await store.deleteMember(trx, workspaceId, userId))) throw lastOwner()
    const origin = originOf(context)
    const { email } = before
    const about = { workspaceId, userId, email, keeps: null }
    const revoked = await revokeInvitationsAbout(trx, origin, about)
    await feed.announce(trx, 'user', userId)
    const resource = resourceOf(userId)
    const kept = await liveKeysMadeBy(trx, workspaceId, resource.id)
    await record(trx, origin, {
      workspaceId,
      action: 'member.removed',
      resource,
      data: { user_id: resource.id },
      detail: { before: { role: before.role }, api_keys_kept: kept },
    })
    return { user_id: resource.id, api_keys_kept: kept, invitations_revoked: revoked }
  })
}
