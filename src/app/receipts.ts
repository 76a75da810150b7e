/** Builds the work on revocation receipts, for this process's broker and external ones. */
import type { Brokers } from '../adapters/broker/broker-entry.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import { ReceiptWork } from '../features/mqtt/revocation/receipt-work.ts'
import type { Mqtt } from './mqtt.ts'

export function createReceiptWork(parts: {
  database: Database
  feed: ChangeFeed
  mqtt: Mqtt
  brokers: Brokers
  warn: (message: string, error: unknown) => void
}): ReceiptWork {
  const { database: db, feed, mqtt, brokers, warn } = parts
  const { broker, target, disconnects, external, presence, authorizer } = mqtt
  const work = new ReceiptWork({
    db,
    feed,
    broker,
    target,
    disconnects,
    names: () => brokers.present().map(({ name }) => name),
    targets: () => external.present(),
    authorize: authorizer.authorize,
    log: warn,
  })
  presence.onSilence(() => {
    work.revive().catch((error: unknown) => warn('receipts could not be reopened', error))
  })
  return work
}
