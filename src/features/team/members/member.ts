/** Members of a workspace, and how they join. */
import type { Role } from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context, Services } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { timestamp } from '../../common/shapes.ts'
import { type ListMembers, memberFields, MemberView } from './schema.ts'
import * as store from './store.ts'
import { rowView } from '../../common/row-view.ts'

export {
  deleteMember,
  findActiveOwners,
  findMember,
  findOnlyOwned,
  findOwnerless,
  findManagerAddresses,
  lockWorkspaces,
  type MemberRow,
  membershipsOf,
  writeRole,
} from './store.ts'

export const viewOf = rowView<store.MemberRow>()(MemberView, {
  joined_at: (row) => timestamp(row.created_at),
})

export const resourceOf = (userId: string) => ({ kind: 'user', id: formatId('usr', userId) })

/**
 * Adds a user to a workspace.
 * @throws Failure already_member, credential_rejected if the account was deleted meanwhile
 */
export async function addMember(
  services: Pick<Services, 'db' | 'feed'>,
  origin: Origin,
  member: { workspaceId: string; userId: string; role: Role; invitationId?: string },
): Promise<void> {
  const { workspaceId, userId, role, invitationId } = member
  await services.db.transaction(async (trx) => {
    if (!(await store.keepAccount.any(trx, { userId }))) throw new Failure('credential_rejected')
    if (!(await store.insertMember.any(trx, member))) throw new Failure('already_member')
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

export const listMembers = (context: Context<StaffCaller>, query: ListMembers) =>
  listFiltered(context, query, {
    name: 'members',
    fields: memberFields,
    pageOf: store.pageOfMembers,
    view: viewOf,
  })
