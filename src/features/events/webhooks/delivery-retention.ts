/** Deletes the delivery log of expired entries and of deleted webhooks. */
import type { Db } from '../../../platform/database/connect.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { leastUuidAt } from '../../../platform/lib/ids.ts'
import * as store from './delivery-log-store.ts'

export interface DeliveryRetention {
  logDays: number
  /** 0: keep forever. */
  eventsRetentionDays: number
}

const DAY_MS = 86_400_000
const BATCH = 2_000

/** Without its event, a dead letter cannot be sent any more. */
export async function deleteOldDeliveries(
  { db, clock }: { db: Db; clock: Clock },
  { logDays, eventsRetentionDays }: DeliveryRetention,
  signal?: AbortSignal,
): Promise<void> {
  const daysAgo = (days: number): string => leastUuidAt(clock.now() - days * DAY_MS)
  const before = daysAgo(logDays)
  const deadBefore =
    eventsRetentionDays === 0 ? daysAgo(36_500) : daysAgo(Math.max(logDays, eventsRetentionDays))
  let place = await store.nextWithDeliveries(db, undefined)
  while (place !== undefined) {
    const { workspace_id: workspaceId, webhook_id: webhookId, is_there: exists } = place
    const old = { workspaceId, webhookId, exists }
    let removed = BATCH
    while (removed === BATCH) {
      if (signal?.aborted) return
      removed = await store.removeDeliveries.count(db, { ...old, before, deadBefore, limit: BATCH })
    }
    place = await store.nextWithDeliveries(db, place)
  }
}
