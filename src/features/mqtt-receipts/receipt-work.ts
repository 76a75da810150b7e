/** What a process does for receipts: its own stamps, those of brokers, and the old ones. */
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { leastUuidAt } from '../../lib/ids.ts'
import { BrokerStamps, type BrokerStampServices } from './broker-stamps.ts'
import { NodeStamps, type NodeStampServices } from './node-stamps.ts'
import * as store from './stamp-store.ts'

export type ReceiptWorkServices = NodeStampServices & BrokerStampServices

const KEEP_DAYS = 30
const DAY_MS = 86_400_000
const FORGET_BATCH = 1_000

export class ReceiptWork {
  readonly #services: { db: Db; feed: ChangeFeed; nodeName: string }
  readonly #nodes: NodeStamps
  readonly #brokers: BrokerStamps

  constructor(services: ReceiptWorkServices) {
    const { db, feed, target } = services
    this.#services = { db, feed, nodeName: target.name }
    this.#nodes = new NodeStamps(services)
    this.#brokers = new BrokerStamps(services)
  }

  stop(): void {
    this.#nodes.stop()
    this.#brokers.stop()
  }

  /** Others took this process for dead: its part in open receipts is open again. */
  revive(): Promise<void> {
    return this.#nodes.revive()
  }

  /** Tries again what is due, and names the processes that are dead. */
  async look(): Promise<void> {
    this.#brokers.wake()
    const { db, feed, nodeName } = this.#services
    await db.transaction(async (trx) => {
      const receipts = await store.markGoneNodes(trx, nodeName)
      const ids = [...new Set(receipts.map(({ id }) => id))]
      await feed.announceAll(trx, 'mqtt-receipt-stamp', ids)
    })
  }
}

export async function forgetReceipts(db: Db): Promise<void> {
  const before = leastUuidAt(Date.now() - KEEP_DAYS * DAY_MS)
  while ((await store.deleteReceipts(db, before, FORGET_BATCH)) === FORGET_BATCH);
}
