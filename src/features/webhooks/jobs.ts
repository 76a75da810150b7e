/** What is done for webhooks in the background, beside sending. */
import type { Context } from '../../context.ts'
import type { Periodic, Task } from '../../jobs/job.ts'
import { type DeliveryRetention, pruneDeliveries } from './delivery-retention.ts'
import { REDELIVER, redeliverPortion } from './redelivery.ts'

const PRUNE = 'webhooks.prune'

export const createWebhookTasks = (
  services: Pick<Context, 'db' | 'clock'>,
  retention: DeliveryRetention,
): Task[] => [
  { name: REDELIVER, run: (payload) => redeliverPortion(services, payload) },
  { name: PRUNE, run: (_payload, signal) => pruneDeliveries(services, retention, signal) },
]

export const webhookRepetitions: readonly Periodic[] = [{ task: PRUNE, everyMs: 600_000 }]
