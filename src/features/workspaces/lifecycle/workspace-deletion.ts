/**
 * Deletes a workspace. With the commit it becomes unreachable: keys, devices, phones and members
 * are refused, and live MQTT sessions end. Its data is kept for a while in case the deletion was a
 * mistake; workspace-erasure.ts erases it.
 */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf, type Services } from '../../../context.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { type Origin, serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { wakeWaitingPhones } from '../../mobile/claims/claim-expiry.ts'
import { lockToAct } from '../../team/members/acting-user.ts'
import { findActiveOwners } from '../../team/members/member.ts'
import { openReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import { timestamp } from '../../common/shapes.ts'
import { resumeBilling } from '../../metering/subscriptions/subscription-lock.ts'
import { markDeleting, unmarkDeleting, lockWorkspace } from './store.ts'
import type { DeletedWorkspace } from './schema.ts'
import { workspaceChange } from './workspace.ts'

/** Days between deletion and erasure. */
const KEPT_DAYS = 30

/** @throws Failure invalid_request unless `confirm` is the slug; permission_denied */
export function deleteWorkspace(
  context: Context<UserCaller>,
  { confirm }: { confirm: string },
): Promise<DeletedWorkspace> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    // Registrations of devices wait for this lock and then find the workspace gone.
    const before = await lockWorkspace.first(trx, { id: workspaceId })
    const { requirePermission } = await lockToAct(context, trx)
    requirePermission('workspace.delete')
    if (before?.slug !== confirm) throw invalid('/confirm', 'must be the slug of the workspace')
    const times = await markDeleting.one(trx, { id: workspaceId, days: KEPT_DAYS })
    await feed.announce(trx, 'workspace', workspaceId)
    await wakeWaitingPhones(trx, workspaceId)
    // Nobody can read this receipt, but it makes external brokers end their sessions.
    await openReceipt(context, trx, { workspaceId, reason: 'workspace.deleted', subject: null })
    const deletion = {
      requested_at: timestamp(times.delete_requested_at),
      erase_at: timestamp(times.erase_at),
    }
    const change = workspaceChange('workspace.deleted', workspaceId, deletion)
    await record(trx, originOf(context), change)
    const { name, slug } = before
    return { id: change.resource.id, name, slug, status: 'deleting', deletion }
  })
}

/**
 * Restores a deleted workspace with its keys and devices.
 * @returns whether it has an owner who can sign in: meanwhile the last one may have deleted the
 *   account, since nobody else was there to take over
 * @throws Failure workspace_not_found if no deleted workspace has this slug
 */
export function restoreWorkspace(
  services: Pick<Services, 'db' | 'feed'>,
  slug: string,
  origin: Origin = serviceOrigin,
): Promise<{ hasOwner: boolean }> {
  return services.db.transaction(async (trx) => {
    const unmark = async () => (await unmarkDeleting.first(trx, { slug }))?.id
    const workspaceId = found(await resumeBilling(trx, slug, unmark), 'workspace_not_found')
    await services.feed.announce(trx, 'workspace', workspaceId)
    await record(trx, origin, workspaceChange('workspace.restored', workspaceId))
    return { hasOwner: await findActiveOwners.any(trx, { workspaceId }) }
  })
}
