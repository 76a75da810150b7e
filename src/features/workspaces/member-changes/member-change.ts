/**
 * Changes the role of members and removes them. The last owner stays. Anyone who may no longer
 * create keys, MQTT principals and webhooks loses those they have created.
 */
import { narrower, type Role, roleHolds } from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { changedFields, record } from '../../../platform/record/record.ts'
import { requireFor, lockToAct } from '../../team/members/acting-user.ts'
import { revokeInvitationsAbout } from '../../team/members/invitation-revocation.ts'
import {
  deleteMember,
  findMember,
  resourceOf,
  viewOf,
  writeRole,
} from '../../team/members/member.ts'
import {
  endCreatedResources,
  endMembership,
  NOTHING_CREATED,
  requireKept,
  withInvitations,
} from './created-resources.ts'
import type { ChangedMember, RemovedMember } from './schema.ts'

const lastOwner = (): Failure => new Failure('last_owner')

/** Whether the person may have created API keys, and may no longer. */
const losesAdmin = (before: Role, after: Role): boolean =>
  roleHolds(before, 'api_keys.write') && !roleHolds(after, 'api_keys.write')

/**
 * @throws Failure member_not_found, last_owner, or permission_denied for callers who may not manage
 * the role before or after
 */
export async function changeRole(
  context: Context<StaffCaller>,
  userId: string,
  role: Role,
  keep: string | undefined,
): Promise<ChangedMember> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    const { requirePermission, isSelf } = await lockToAct(context, trx)
    requirePermission('members.write')
    const kept = requireKept(keep, isSelf(userId))
    const before = found(await findMember.first(trx, { workspaceId, userId }), 'member_not_found')
    for (const each of [before.role, role]) requireFor(requirePermission, each)
    if (before.role === role) return { ...viewOf(before), ...NOTHING_CREATED }
    if (!(await writeRole.any(trx, { workspaceId, userId, role }))) throw lastOwner()
    const origin = originOf(context)
    const resource = resourceOf(userId)
    // Invitations that the member may no longer give are revoked.
    const revoked =
      narrower(before.role, role) === role
        ? await revokeInvitationsAbout(trx, origin, { workspaceId, userId, keeps: role })
        : 0
    const created = losesAdmin(before.role, role)
      ? await endCreatedResources(context, trx, { workspaceId, userId, by: origin }, kept)
      : NOTHING_CREATED
    const resources = withInvitations(created, revoked)
    await feed.announce(trx, 'user', userId)
    await record(trx, origin, {
      workspaceId,
      action: 'member.updated',
      resource,
      data: { user_id: resource.id, role },
      detail: {
        ...changedFields({ role: before.role }, { role }),
        ...((created !== NOTHING_CREATED || revoked > 0) && resources),
      },
    })
    return { ...viewOf({ ...before, role }), ...resources }
  })
}

/**
 * Removes a member; members may remove themselves.
 * @throws Failure member_not_found, last_owner, permission_denied
 */
export async function removeMember(
  context: Context<StaffCaller>,
  userId: string,
  keep: string | undefined,
): Promise<RemovedMember> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    const { requirePermission, isSelf } = await lockToAct(context, trx)
    const others = !isSelf(userId)
    if (others) requirePermission('members.write')
    const kept = requireKept(keep, !others)
    const before = found(await findMember.first(trx, { workspaceId, userId }), 'member_not_found')
    if (others) requireFor(requirePermission, before.role)
    if (!(await deleteMember.any(trx, { workspaceId, userId }))) throw lastOwner()
    const loss = { workspaceId, userId, by: originOf(context) }
    const resources = await endMembership(context, trx, loss, before, kept)
    await feed.announce(trx, 'user', userId)
    return { user_id: formatId('usr', userId), ...resources }
  })
}
