/** A process's work on receipts: its own stamps, those of brokers, and deleting old ones. */
import type { Db } from '../../../platform/database/connect.ts'
import { leastUuidAt } from '../../../platform/lib/ids.ts'
import { BrokerStamps, type BrokerStampServices } from './broker-stamps.ts'
import { NodeStamps, type NodeStampServices } from './node-stamps.ts'
import * as store from './stamp-store.ts'

export type ReceiptWorkServices = NodeStampServices & BrokerStampServices

const KEEP_DAYS = 30
const DAY_MS = 86_400_000
const FORGET_BATCH = 1_000

export class ReceiptWork {
  readonly #services: { db: Db; nodeName: string }
  readonly #nodes: NodeStamps
  readonly #brokers: BrokerStamps

  constructor(services: ReceiptWorkServices) {
    const { db, target } = services
    this.#services = { db, nodeName: target.name }
    this.#nodes = new NodeStamps(services)
    this.#brokers = new BrokerStamps(services)
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
    const { db, nodeName } = this.#services
    return store.markGoneNodes.run(db, { node: nodeName })
  }
}

export async function forgetReceipts(db: Db): Promise<void> {
  const before = leastUuidAt(Date.now() - KEEP_DAYS * DAY_MS)
  while ((await store.deleteReceipts(db, before, FORGET_BATCH)) === FORGET_BATCH);
}
