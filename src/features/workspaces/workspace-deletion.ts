/**
 * The deletion of a workspace. From its commit on nothing of it can be reached: keys, devices,
 * phones and members are refused, and live MQTT sessions are cut. The data stays for a while, for
 * those who have thought better of it; see workspace-erasure.ts for its end.
 */
import type { UserCaller } from '../../access/principal.ts'
import { type Context, originOf, type Services } from '../../context.ts'
import { Failure, invalid } from '../../errors.ts'
import { type Origin, serviceOrigin } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import { formatId } from '../../lib/ids.ts'
import { wakeWaitingPhones } from '../claims/claim-expiry.ts'
import { lockToAct } from '../members/acting.ts'
import { openReceipt } from '../mqtt-receipts/receipt-issue.ts'
import { timestamp } from '../shapes.ts'
import { resumeBilling } from '../subscriptions/subscription-lock.ts'
import { markDeleting, unmarkDeleting } from './erasure-store.ts'
import type { DeletedWorkspace } from './schema.ts'
import { lockWorkspace } from './store.ts'

/** Days between the deletion and the erasure. */
const KEPT_DAYS = 30

/** @throws Failure invalid_request unless `confirm` is the slug; permission_denied */
export function deleteWorkspace(
  context: Context<UserCaller>,
  { confirm }: { confirm: string },
): Promise<DeletedWorkspace> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    // Registrations of devices wait for this lock, and then find the workspace gone.
    const before = await lockWorkspace(trx, workspaceId)
    const { demand } = await lockToAct(context, trx)
    demand('workspace.delete')
    if (before?.slug !== confirm) throw invalid('/confirm', 'must be the slug of the workspace')
    const times = await markDeleting(trx, workspaceId, KEPT_DAYS)
    await feed.announce(trx, 'workspace', workspaceId)
    await wakeWaitingPhones(trx, workspaceId)
    // Nobody can read it any more, but brokers elsewhere end the sessions that it is about.
    await openReceipt(context, trx, { workspaceId, reason: 'workspace.deleted', subject: null })
    const deletion = {
      requested_at: timestamp(times.delete_requested_at),
      erase_at: timestamp(times.erase_at),
    }
    const id = formatId('ws', workspaceId)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'workspace.deleted',
      resource: { kind: 'workspace', id },
      data: { workspace_id: id, ...deletion },
    })
    const { name, slug } = before
    return { id, name, slug, status: 'deleting', deletion }
  })
}

/**
 * Brings a deleted workspace back as it was, with its keys and devices.
 * @throws Failure workspace_not_found when none with this slug waits for its erasure.
 */
export function restoreWorkspace(
  services: Pick<Services, 'db' | 'feed'>,
  slug: string,
  origin: Origin = serviceOrigin,
): Promise<void> {
  return services.db.transaction(async (trx) => {
    const workspaceId = await resumeBilling(trx, slug, () => unmarkDeleting(trx, slug))
    if (workspaceId === undefined) throw new Failure('workspace_not_found')
    await services.feed.announce(trx, 'workspace', workspaceId)
    const id = formatId('ws', workspaceId)
    await record(trx, origin, {
      workspaceId,
      action: 'workspace.restored',
      resource: { kind: 'workspace', id },
      data: { workspace_id: id },
    })
  })
}
