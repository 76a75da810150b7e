/**
 * How far the feed may be read. Numbers are given to events before their transactions commit, so
 * the highest one that is seen may stand above one that is still to come. A number is safe when
 * every transaction that could have been given it, or one below it, has ended: those had begun to
 * write when it was read, and so have a lower number than a transaction that begins after that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../database/connect.ts'
import { type Moment, readMoment } from './store.ts'

/** A number, and the transaction before which all must have ended for it to be safe. */
interface Mark {
  seq: number
  xid: bigint
}

/** How long transactions are waited for that are just ending, in milliseconds. */
const PAUSES = [1, 2, 5, 10, 20, 40]
/** Marks that wait for long transactions. */
const MOST_MARKS = 100

export interface EventHorizon {
  /** The last number that was seen, safe or not. */
  readonly last: number
  /**
   * The last number that is safe. It stands at or above whatever was committed before the call,
   * unless a transaction is open for long.
   */
  advance(): Promise<number>
}

class Horizon implements EventHorizon {
  last = 0
  readonly #db: Db
  #safe = 0
  #marks: Mark[] = []
  #running: Promise<number> | undefined
  #following: Promise<number> | undefined

  constructor(db: Db) {
    this.#db = db
  }

  // Who comes while others look must not take their answer: it may be older than the call. One
  // more look serves all who come meanwhile.
  advance(): Promise<number> {
    if (this.#running === undefined) return this.#run()
    this.#following ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#following = undefined
        return this.#run()
      })
    return this.#following
  }

  #run(): Promise<number> {
    const run = this.#look().finally(() => {
      if (this.#running === run) this.#running = undefined
    })
    this.#running = run
    return run
  }

  async #look(): Promise<number> {
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

  #forget(): void {
    this.#safe = 0
    this.#marks = []
  }

  /** Looks once, and takes what has become safe. `mark` is a number that was read before. */
  async #moment(mark?: number): Promise<Moment> {
    const moment = await readMoment(this.#db, mark !== undefined)
    this.last = moment.last_seq
    // The database was put back to an earlier time: what was safe is to come once more.
    if (this.#safe > this.last) this.#forget()
    const { own_xid: own } = moment
    if (mark !== undefined && own !== null && this.#marks.length < MOST_MARKS) {
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

export const createEventHorizon = (db: Db): EventHorizon => new Horizon(db)
