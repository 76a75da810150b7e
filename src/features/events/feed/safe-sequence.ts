/**
 * How far the feed may be read. Sequence numbers are assigned before transactions commit, so a
 * lower number may still appear after a higher one. A number is safe once every transaction that
 * could have been assigned it or a lower one has ended: such transactions already had an xid when
 * the number was read, hence a lower one than transactions that start later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../../platform/database/connect.ts'
import type { RowOf } from '../../../platform/database/sql.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import { readMoment } from './store.ts'

/** A sequence number, and the xid below which all transactions must have ended to make it safe. */
interface Mark {
  seq: number
  xid: bigint
}

/** Waits for transactions that are about to end, in milliseconds. */
const PAUSES = [1, 2, 5, 10, 20, 40]
/** Marks that wait for long transactions. */
const MAX_MARKS = 100

export class SafeSequence {
  /** The last number seen, safe or not. */
  last = 0
  readonly #db: Db
  #safe = 0
  #marks: Mark[] = []
  readonly #reads = new SingleFlight(() => this.#poll())

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * The last safe number. It covers everything committed before the call, unless a transaction
   * stays open for long.
   */
  advance(): Promise<number> {
    // A caller must not share a read that started before its call.
    return this.#reads.joinNext()
  }

  async #poll(): Promise<number> {
    const { last_seq: wanted } = await this.#moment()
    if (this.#safe >= wanted) return this.#safe
    await this.#moment(wanted)
    for (const pause of PAUSES) {
      if (this.#safe >= wanted) break
      await sleep(pause)
      await this.#moment()
    }
    return this.#safe
  }

  #evict(): void {
    this.#safe = 0
    this.#marks = []
  }

  /** Reads once and advances the safe number. `mark` is a number that was read before. */
  async #moment(mark?: number): Promise<RowOf<typeof readMoment>> {
    const moment = await readMoment.one(this.#db, { own: mark !== undefined })
    this.last = moment.last_seq
    // The database was restored to an earlier state, so previously safe numbers will recur.
    if (this.#safe > this.last) this.#evict()
    const { own_xid: own } = moment
    if (mark !== undefined && own !== null && this.#marks.length < MAX_MARKS) {
      this.#marks.push({ seq: mark, xid: BigInt(own) })
    }
    const oldest = BigInt(moment.oldest_xid)
    for (const { seq, xid } of this.#marks) {
      if (xid <= oldest) this.#safe = Math.max(this.#safe, seq)
    }
    this.#marks = this.#marks.filter(({ xid }) => xid > oldest)
    return moment
  }
}
