/** Builds the delivery of events to webhooks. */
import type { Config } from '../config.ts'
import type { Db } from '../database/connect.ts'
import { DeliveryEngine } from '../features/webhooks/delivery-engine.ts'
import type { AllServices } from '../operations.ts'

export const createDeliveries = (
  { webhookRetryPauses: pauses, webhookTimeoutS }: Config,
  parts: {
    db: Db
    services: AllServices
    isShared: boolean
    warn: (message: string, error: unknown) => void
  },
): DeliveryEngine =>
  new DeliveryEngine({ ...parts.services, ...parts, pauses, timeoutMs: webhookTimeoutS * 1_000 })

/** Metrics for the operator, without tenant data. */
export const deliveryMetrics = (deliveries: DeliveryEngine) => ({
  gauges: {
    mooring_webhook_sendings: {
      help: 'Webhooks that are being sent by this process at this moment.',
      value: () => deliveries.sending,
    },
    mooring_webhooks_held: {
      help: 'Webhooks that this process works on.',
      value: () => deliveries.held,
    },
    mooring_webhook_waiting: {
      help: 'Deliveries of all webhooks that failed, or wait behind one that did.',
      value: () => deliveries.backlog.waiting,
    },
    mooring_webhook_lag_seconds: {
      help: 'Age of the oldest event that an enabled webhook has not come to yet.',
      value: () => deliveries.backlog.lag_s,
    },
  },
  counters: {
    mooring_webhook_tries_total: {
      help: 'Tries of this process to deliver to webhooks; dead: the last one of a delivery failed.',
      label: 'outcome',
      totals: () => deliveries.tries,
    },
  },
})
