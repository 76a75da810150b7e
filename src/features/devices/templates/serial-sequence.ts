/**
 * Sequence numbers for serials, per workspace and template. Each process takes blocks of them in
 * separate transactions, so that registrations never wait for each other's row. No number is issued
 * twice by any process; unused numbers are reissued first, and a clean shutdown returns what is
 * left.
 */
import { columnsOf } from '../../../platform/database/sql.ts'
import { performance } from 'node:perf_hooks'
import { type Db, isForeignKeyViolation } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import * as store from './store.ts'

export interface SerialSequences {
  /**
   * The next number, mostly from memory.
   * @throws Failure template_not_found, unavailable
   */
  take(workspaceId: string, templateId: string): Promise<number>
  /**
   * Returns a number that is certainly unused, at most once per `take`. If a COMMIT got no
   * response, its number may be in use and must not be returned.
   */
  giveBack(workspaceId: string, templateId: string, number: number): void
  /**
   * Stores unused numbers for the next process; nothing is issued afterwards. A failure only leaves
   * a gap.
   */
  close(): Promise<void>
}

/** A block used up faster than this doubles the next one. */
const FAST_MS = 100
/** A block that lasted longer is followed by a single number, so that none is left over. */
const SLOW_MS = 1_000
const MAX_BLOCK = 256
/** Above this, idle sequences are dropped. */
const MAX_IDLE = 10_000

class Sequence {
  /** Ascending. */
  readonly #returned: number[] = []
  readonly #refill: (count: number) => Promise<store.SerialRange>
  #next = 1
  #end = 1
  #blockSize = 1
  #refilledAt = Number.NEGATIVE_INFINITY
  readonly #refills = new SingleFlight(() => this.#takeBlock())
  /** Calls that have no number yet. */
  #waiting = 0

  constructor(refill: (count: number) => Promise<store.SerialRange>) {
    this.#refill = refill
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#returned.length === 0 && this.#next === this.#end
  }

  /**
   * A number that was returned goes to the next call; waiting calls get theirs of the next block,
   * in the order of the calls. A failure to get a block rejects all that wait for it.
   */
  async take(): Promise<number> {
    this.#waiting += 1
    try {
      for (;;) {
        const number = this.#draw()
        if (number !== undefined) return number
        await this.#refills.join()
      }
    } finally {
      this.#waiting -= 1
    }
  }

  giveBack(number: number): void {
    const above = this.#returned.findIndex((other) => other >= number)
    const isHeld = number >= this.#next && number < this.#end
    if (isHeld || this.#returned[above] === number) return
    this.#returned.splice(above === -1 ? this.#returned.length : above, 0, number)
  }

  /** Serves those that wait, then empties the sequence. */
  async drain(): Promise<store.SerialRange[]> {
    while (this.#refills.isRunning) await this.#refills.join().catch(() => {})
    const ranges: store.SerialRange[] = []
    for (let number = this.#draw(); number !== undefined; number = this.#draw()) {
      const last = ranges.at(-1)
      if (last?.last === number - 1) last.last = number
      else ranges.push({ first: number, last: number })
    }
    return ranges
  }

  #draw(): number | undefined {
    const [returned] = this.#returned
    const isBlockEmpty = this.#next === this.#end
    if (returned !== undefined && (isBlockEmpty || returned < this.#next)) {
      return this.#returned.shift()
    }
    if (isBlockEmpty) return undefined
    this.#next += 1
    return this.#next - 1
  }

  async #takeBlock(): Promise<void> {
    const { first, last } = await this.#refill(this.#sizeOfNextBlock())
    this.#next = first
    this.#end = last + 1
  }

  #sizeOfNextBlock(): number {
    const now = performance.now()
    const lasted = now - this.#refilledAt
    this.#refilledAt = now
    if (lasted < FAST_MS) this.#blockSize = Math.min(MAX_BLOCK, this.#blockSize * 2)
    else if (lasted > SLOW_MS) this.#blockSize = 1
    return Math.max(this.#blockSize, Math.min(MAX_BLOCK, this.#waiting))
  }
}

/** @param db commits on its own connections, never those of open transactions */
export function createSerialSequences({ db }: { db: Db }): SerialSequences {
  const sequences = new Map<string, Sequence>()
  let closed = false

  const refillOf = (workspaceId: string, templateId: string) => async (count: number) => {
    try {
      return await store.takeSerials.one(db, { workspaceId, templateId, count })
    } catch (error) {
      throw isForeignKeyViolation(error) ? new Failure('template_not_found') : error
    }
  }
  const evictIdle = (): void => {
    for (const [key, sequence] of sequences) if (sequence.isIdle) sequences.delete(key)
  }
  const sequenceOf = (workspaceId: string, templateId: string): Sequence => {
    const key = `${workspaceId} ${templateId}`
    const known = sequences.get(key)
    if (known !== undefined) return known
    if (sequences.size >= MAX_IDLE) evictIdle()
    const sequence = new Sequence(refillOf(workspaceId, templateId))
    sequences.set(key, sequence)
    return sequence
  }
  return {
    async take(workspaceId, templateId) {
      if (closed) throw new Failure('unavailable', { retryAfterSeconds: 1 })
      return sequenceOf(workspaceId, templateId).take()
    },
    giveBack(workspaceId, templateId, number) {
      sequenceOf(workspaceId, templateId).giveBack(number)
    },
    async close() {
      closed = true
      const unused: store.UnusedSerials[] = []
      for (const [key, sequence] of sequences) {
        const [workspaceId = '', templateId = ''] = key.split(' ')
        for (const range of await sequence.drain())
          unused.push({ workspaceId, templateId, ...range })
      }
      sequences.clear()
      if (unused.length > 0) await store.keepUnusedSerials.run(db, columnsOf(unused))
    },
  }
}
