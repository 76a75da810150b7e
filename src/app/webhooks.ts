/** Builds the delivery of events to webhooks. */
import type { Config } from '../platform/config/config.ts'
import type { Db } from '../platform/database/connect.ts'
import { DeliveryEngine } from '../features/events/webhooks/delivery-engine.ts'
import type { AllServices } from '../operations.ts'

export const createDeliveries = (
  { webhookRetryPauses: pauses }: Config,
  parts: {
    db: Db
    services: AllServices
    isShared: boolean
    warn: (message: string, error: unknown) => void
  },
): DeliveryEngine =>
  new DeliveryEngine({
    ...parts.services,
    ...parts,
    pauses,
    timeoutMs: parts.services.webhookTimeoutMs,
  })
