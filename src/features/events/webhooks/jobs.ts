/** Background tasks of webhooks, besides delivery. */
import type { Context } from '../../../context.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { type DeliveryRetention, deleteOldDeliveries } from './delivery-retention.ts'
import { REDELIVER, redeliverPortion } from './redelivery.ts'
import { deleteEndedSecrets } from './webhook-secrets.ts'

const DELETE_SECRETS_MS = 60_000

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
