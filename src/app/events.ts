/** Builds what follows from events and audit entries: webhook delivery, and audit anchors. */
import { open } from 'node:fs/promises'
import type { Config } from '../platform/config/config.ts'
import type { Database, Db } from '../platform/database/connect.ts'
import type { AnchorSink } from '../features/audit/log/audit-anchor.ts'
import { DeliveryEngine } from '../features/events/webhooks/delivery-engine.ts'
import type { AllServices } from '../operations.ts'
import { createEventServices } from '../features/events/feed/event-watch.ts'
import { LiveHub } from '../features/events/live/live-hub.ts'
import type { Tracer } from '../platform/trace/tracer.ts'
import { createAnchorSigner } from '../platform/access/anchor-signer.ts'

/**
 * Opened for each write, so that the file can be moved at any time; synced before anchors count as
 * published.
 * @param path undefined: nothing is written
 */
const anchorFile = (path: string | undefined): AnchorSink => ({
  async append(lines) {
    if (path === undefined || lines.length === 0) return
    const file = await open(path, 'a', 0o640)
    try {
      await file.appendFile(lines.map((line) => `${line}\n`).join(''))
      await file.datasync()
    } finally {
      await file.close()
    }
  },
})

export function eventsOf(
  config: Config,
  database: Database,
  { dns, keyring }: Pick<AllServices, 'dns' | 'keyring'>,
) {
  const events = createEventServices(database)
  return {
    ...events,
    liveHub: new LiveHub({ ...events, db: database, keyring }),
    webhookTargets: { allowedHosts: config.webhookAllowedHosts, dns },
    webhookTimeoutMs: config.webhookTimeoutS * 1_000,
  }
}

export const anchorsOf = (config: Config, keyring: AllServices['keyring']) => ({
  anchorSigner: createAnchorSigner(keyring),
  anchorSink: anchorFile(config.auditAnchorFile),
})

export const createDeliveries = (
  { webhookRetryPauses: pauses }: Config,
  parts: {
    db: Db
    services: AllServices
    isShared: boolean
    tracer: Tracer | undefined
    warn: (message: string, error: unknown) => void
  },
): DeliveryEngine =>
  new DeliveryEngine({
    ...parts.services,
    ...parts,
    pauses,
    timeoutMs: parts.services.webhookTimeoutMs,
  })
