/** Builds the work on revocation receipts, for this process's broker and external ones. */
import type { Brokers } from '../adapters/broker/broker-entry.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import { ReceiptWork } from '../features/mqtt/revocation/receipt-work.ts'
import type { DeviceSide } from './device-side.ts'

export function createReceiptWork(parts: {
  database: Database
  feed: ChangeFeed
  device: DeviceSide
  brokers: Brokers
  warn: (message: string, error: unknown) => void
}): ReceiptWork {
  const { database: db, feed, device, brokers, warn } = parts
  const { broker, target, connections, external, presence, remote } = device
  const work = new ReceiptWork({
    db,
    feed,
    broker,
    target,
    cuts: connections.cuts,
    names: () => brokers.present().map(({ name }) => name),
    targets: () => external.present(),
    authorize: remote.authorize,
    log: warn,
  })
  presence.onSilence(() => {
    work.revive().catch((error: unknown) => warn('receipts could not be reopened', error))
  })
  return work
}
