/**
 * Applies revocations to external brokers. One process takes each receipt, after every process
 * refuses the revoked rights, so that hooks no longer allow them. Unreachable brokers are retried
 * with backoff, and the receipt stays open.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../platform/lib/system-errors.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { concernedBy, isOfOne, type ListedTarget, type Lookups } from './affected-sessions.ts'
import { MOVES_ALL, OLDER } from './receipt-reasons.ts'
import * as store from './store.ts'

export interface BrokerReceiptServices extends Lookups {
  feed: ChangeFeed
  /** Names of all external brokers, including those without an admin interface. */
  names: () => readonly string[]
  targets: () => readonly ListedTarget[]
  log: (message: string, error: unknown) => void
}

/** Longer than an adapter takes for a wave; if the process dies, another one takes over. */
const LEASE_SECONDS = 30
const TOGETHER = 20
const FIRST_PAUSE_SECONDS = 0.5
const LONGEST_PAUSE_SECONDS = 60
/** Many sessions are ended in waves, since their clients reconnect. */
const WAVE = 50
const WAVE_MS = 250

const NO_ADMIN = 'The broker has no administration in the brokers file: nothing can be seen there.'
const NO_LIST = 'The broker does not list its sessions.'
const LIST_LAGS = 'A session that has just begun may not be in the list of the broker yet.'
const STILL_LIVE = 'A session with the revoked rights is still open.'
const NOT_DENIED = 'A process has not confirmed yet that it refuses the revoked rights.'

const pauseOf = (attempts: number): number =>
  Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(attempts - 1, 10))

interface Seen {
  disconnected: number
  verified: boolean
  problem: string | null
}

export class BrokerReceiptWorker {
  readonly #services: BrokerReceiptServices
  readonly #worker: SerialWorker
  #stopped = false

  constructor(services: BrokerReceiptServices) {
    this.#services = services
    this.#worker = new SerialWorker(
      () => this.#work(),
      (error) => services.log('external brokers could not be notified of a revocation', error),
    )
    // Processes must refuse first; the last one announces it with this change.
    services.feed.on('mqtt-receipt-stamp', () => this.wake())
  }

  /** Checks for due receipts. */
  wake(): void {
    if (this.#services.names().length > 0) this.#worker.wake()
  }

  stop(): void {
    this.#stopped = true
    this.#worker.stop()
  }

  async #work(): Promise<boolean> {
    const { db, names } = this.#services
    const taken = await store.takeReceipts(db, names(), LEASE_SECONDS, TOGETHER)
    await Promise.all(taken.map((receipt) => this.#settle(receipt)))
    return taken.length === TOGETHER
  }

  async #settle(receipt: store.TakenReceipt): Promise<void> {
    const { db, feed, targets, log } = this.#services
    const target = targets().find(({ name }) => name === receipt.node)
    const seen = await this.#bring(target, receipt).catch((error: unknown): Seen => {
      log(`the broker ${receipt.node} could not be notified of a revocation`, error)
      return { disconnected: 0, verified: false, problem: messageOf(error).slice(0, 500) }
    })
    const { is_denied_everywhere: isCertain } = receipt
    // Purging and disconnecting stay done, even if not verifiable yet.
    const purged = isCertain && (seen.problem === null || seen.problem === STILL_LIVE)
    const outcome = isCertain
      ? seen
      : { disconnected: seen.disconnected, verified: false, problem: seen.problem ?? NOT_DENIED }
    await db.transaction(async (trx) => {
      const pauseSeconds = pauseOf(receipt.attempts)
      await store.settleReceipt.run(trx, { ...receipt, purged, pauseSeconds, ...outcome })
      await feed.announce(trx, 'mqtt-receipt-told', receipt.id)
    })
  }

  async #bring(target: ListedTarget | undefined, receipt: store.TakenReceipt): Promise<Seen> {
    if (target === undefined) return { disconnected: 0, verified: false, problem: NO_ADMIN }
    if (receipt.narrowed !== null && target.regrant !== undefined) {
      return this.#regrant(target, receipt)
    }
    const lags = !isOfOne(receipt) && receipt.denied_ms < (target.listLagMs ?? 0)
    // Clients that may reconnect are disconnected only once.
    const mayReturn = receipt.narrowed !== null || receipt.reason === MOVES_ALL
    if (lags && mayReturn) return { disconnected: 0, verified: false, problem: LIST_LAGS }
    const names = await concernedBy(this.#services, target, receipt)
    if (names === undefined) return { disconnected: 0, verified: false, problem: NO_LIST }
    let disconnected = 0
    let verified = true
    for (const [index, name] of names.entries()) {
      if (this.#stopped) throw new Error('The process stops.')
      if (index > 0 && index % WAVE === 0) {
        await store.renewReceipt.run(this.#services.db, { ...receipt, seconds: LEASE_SECONDS })
        await jitter()
      }
      const seen = await this.#end(target, name, receipt)
      disconnected += seen.disconnected
      verified &&= seen.verified
    }
    if (lags) return { disconnected, verified: false, problem: LIST_LAGS }
    return { disconnected, verified, problem: verified ? null : STILL_LIVE }
  }

  /** The broker is given the new rules and applies them to live sessions. */
  async #regrant(target: ListedTarget, { subject, narrowed }: store.TakenReceipt): Promise<Seen> {
    const isOne = narrowed?.template === undefined && narrowed?.devices === undefined
    const name = isOne && subject !== null ? subject : undefined
    await target.regrant?.(name)
    const verified = name === undefined || (await target.verify(name))
    return { disconnected: 0, verified, problem: verified ? null : STILL_LIVE }
  }

  async #end(
    target: ListedTarget,
    name: string,
    { was_purged, reason, since, client_id }: store.TakenReceipt,
  ): Promise<{ disconnected: number; verified: boolean }> {
    // A client that was disconnected and may reconnect has perhaps done so: it is left alone.
    if (was_purged && (await target.verify(name))) return { disconnected: 0, verified: true }
    const decision = await this.#services.authorize(name, name)
    if (!decision.accepted && decision.reason === 'unavailable') {
      throw new Error(`What ${name} may could not be read.`)
    }
    await target.purge?.(name)
    const newer = { since, clientId: client_id ?? undefined }
    const isOlder = reason === OLDER && decision.accepted
    const why = decision.accepted ? 'administrative' : 'not_authorized'
    const disconnected = await target.disconnect(name, why, isOlder ? newer : undefined)
    return { disconnected, verified: await target.verify(name) }
  }
}

const jitter = (): Promise<void> =>
  sleep(WAVE_MS * (0.5 + Math.random()), undefined, { ref: false })
