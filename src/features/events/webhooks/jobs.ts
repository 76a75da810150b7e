/** Background tasks of webhooks, besides delivery. */
import type { Context } from '../../../context.ts'
import { type Periodic, type Task, taskOf } from '../../../platform/jobs/job.ts'
import { type DeliveryRetention, deleteOldDeliveries } from './delivery-retention.ts'
import { REDELIVER, redeliverPortion } from './redelivery.ts'
import { deleteEndedSecrets } from './webhook-secrets.ts'

const PRUNE = 'webhooks.prune'
const DELETE_SECRETS = 'webhooks.forget_ended_secrets'

export const createWebhookTasks = (
  services: Pick<Context, 'db' | 'clock'>,
  retention: DeliveryRetention,
): Task[] => [
  taskOf(REDELIVER, (order) => redeliverPortion(services, order)),
  { name: PRUNE, run: (_payload, signal) => deleteOldDeliveries(services, retention, signal) },
  { name: DELETE_SECRETS, run: (_payload, signal) => deleteEndedSecrets(services.db, signal) },
]

export const webhookRepetitions: readonly Periodic[] = [
  { task: PRUNE, everyMs: 600_000 },
  { task: DELETE_SECRETS, everyMs: 60_000 },
]
