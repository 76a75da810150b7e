/** Background tasks of webhooks, besides delivery. */
import type { Context } from '../../../context.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { exhaust } from '../../../platform/database/sql.ts'
import { leastUuidAt } from '../../../platform/lib/ids.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import * as store from './delivery-log-store.ts'
import { REDELIVER, redeliverPortion } from './redelivery.ts'
import { deleteEndedSecrets } from './webhook-secrets.ts'

const DELETE_SECRETS_MS = 60_000

interface DeliveryRetention {
  logDays: number
  /** 0: keep forever. */
  eventsRetentionDays: number
}

const BATCH = 2_000

/**
 * Deletes the delivery log of expired entries and of deleted webhooks. Without its event, a dead
 * letter cannot be sent any more.
 */
async function deleteOldDeliveries(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { logDays, eventsRetentionDays }: DeliveryRetention,
  signal: AbortSignal,
): Promise<void> {
  const daysAgo = (days: number): string => leastUuidAt(clock.now() - days * DAY_MS)
  const before = daysAgo(logDays)
  const deadBefore =
    eventsRetentionDays === 0 ? daysAgo(36_500) : daysAgo(Math.max(logDays, eventsRetentionDays))
  let place = await store.nextWithDeliveries(db, undefined)
  while (place !== undefined && !signal.aborted) {
    const { workspace_id: workspaceId, webhook_id: webhookId, is_there: exists } = place
    const old = { workspaceId, webhookId, exists, before, deadBefore, limit: BATCH }
    await exhaust(store.removeDeliveries, db, old, signal)
    place = await store.nextWithDeliveries(db, place)
  }
}

export const createWebhookTasks = (
  services: Pick<Context, 'db' | 'clock'>,
  retention: DeliveryRetention,
): Task[] => [
  taskOf(REDELIVER, (order) => redeliverPortion(services, order)),
  {
    name: 'webhooks.prune',
    everyMs: 600_000,
    run: (_payload, signal) => deleteOldDeliveries(services, retention, signal),
  },
  {
    name: 'webhooks.forget_ended_secrets',
    everyMs: DELETE_SECRETS_MS,
    run: (_payload, signal) => deleteEndedSecrets(services.db, signal),
  },
]
