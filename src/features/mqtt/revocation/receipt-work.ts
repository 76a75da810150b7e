/** A process's work on receipts: it acknowledges them, for brokers too, and deletes old ones. */
import type { Db } from '../../../platform/database/connect.ts'
import { exhaust } from '../../../platform/database/sql.ts'
import { leastUuidAt } from '../../../platform/lib/ids.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { BrokerReceiptWorker, type BrokerReceiptServices } from './broker-receipts.ts'
import { NodeReceiptWorker, type NodeReceiptServices } from './node-receipts.ts'
import * as store from './store.ts'

export type ReceiptWorkServices = NodeReceiptServices & BrokerReceiptServices

const KEEP_DAYS = 30
const DELETE_BATCH = 1_000

export class ReceiptWork {
  readonly #services: ReceiptWorkServices
  readonly #nodes: NodeReceiptWorker
  readonly #brokers: BrokerReceiptWorker

  constructor(services: ReceiptWorkServices) {
    this.#services = services
    this.#nodes = new NodeReceiptWorker(services)
    this.#brokers = new BrokerReceiptWorker(services)
  }

  stop(): void {
    this.#nodes.stop()
    this.#brokers.stop()
  }

  /** Others considered this process dead: its part in open receipts is reopened. */
  revive(): Promise<void> {
    return this.#nodes.revive()
  }

  /** Retries what is due, and marks dead processes. */
  check(): Promise<void> {
    this.#brokers.wake()
    const { db, target } = this.#services
    return store.markGoneNodes.run(db, { node: target.name })
  }
}

export async function deleteOldReceipts(db: Db): Promise<void> {
  const before = leastUuidAt(Date.now() - KEEP_DAYS * DAY_MS)
  await exhaust(store.deleteReceipts, db, { id: before, limit: DELETE_BATCH })
}
