/**
 * Sequence numbers of serials, per workspace and template. Each process takes them from the
 * database in blocks that commit by themselves, so that registrations never wait for each other's
 * row. No number is handed out twice, by any process, whatever becomes of one; a number that was
 * not used after all is the next to be handed out, and what is left at a clean stop is kept.
 */
import { performance } from 'node:perf_hooks'
import { type Db, isForeignKeyViolation } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import * as store from './serial-store.ts'

export interface SerialSequences {
  /**
   * The next number, mostly from memory.
   * @throws Failure template_not_found, unavailable
   */
  take(workspaceId: string, templateId: string): Promise<number>
  /**
   * Takes back a number that was surely not used, at most once for each `take`. A registration
   * whose COMMIT got no answer may have used its number: that one is not given back.
   */
  giveBack(workspaceId: string, templateId: string, number: number): void
  /**
   * Keeps what is left for whoever starts next; nothing is handed out from then on. When it fails
   * there is a gap in the numbers, and no other harm.
   */
  close(): Promise<void>
}

/** A block that is used up sooner than this is followed by one of twice the size. */
const FAST_MS = 100
/** A block that lasted longer is followed by a single number, so that none is left over. */
const SLOW_MS = 1_000
const MAX_BLOCK = 256
/** Beyond it, sequences that hold nothing are forgotten. */
const MAX_IDLE = 10_000

interface Waiter {
  resolve(number: number): void
  reject(error: unknown): void
}

class Sequence {
  /** Ascending. */
  readonly #returned: number[] = []
  readonly #waiters: Waiter[] = []
  readonly #refill: (count: number) => Promise<store.SerialRange>
  #next = 1
  #end = 1
  #blockSize = 1
  #refilledAt = Number.NEGATIVE_INFINITY
  #refilling: Promise<void> | undefined

  constructor(refill: (count: number) => Promise<store.SerialRange>) {
    this.#refill = refill
  }

  get isIdle(): boolean {
    return this.#refilling === undefined && this.#returned.length === 0 && this.#next === this.#end
  }

  take(): Promise<number> {
    const number = this.#waiters.length === 0 ? this.#draw() : undefined
    if (number !== undefined) return Promise.resolve(number)
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
      this.#refilling ??= this.#serveWaiters()
    })
  }

  giveBack(number: number): void {
    const above = this.#returned.findIndex((other) => other >= number)
    const isHeld = number >= this.#next && number < this.#end
    if (isHeld || this.#returned[above] === number) return
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) return waiter.resolve(number)
    this.#returned.splice(above === -1 ? this.#returned.length : above, 0, number)
  }

  /** Waits for a refill that is under way, and empties the sequence. */
  async drain(): Promise<store.SerialRange[]> {
    await this.#refilling
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

  /** Goes on until nobody waits; a failure is everybody's who waits. */
  async #serveWaiters(): Promise<void> {
    try {
      while (this.#waiters.length > 0) {
        const { first, last } = await this.#refill(this.#sizeOfNextBlock())
        this.#next = first
        this.#end = last + 1
        for (let number = first; number <= last && this.#waiters.length > 0; number += 1) {
          this.#waiters.shift()?.resolve(number)
          this.#next = number + 1
        }
      }
    } catch (error) {
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error)
    } finally {
      // Not a moment later: a waiter that came in between would wait for ever.
      this.#refilling = undefined
    }
  }

  #sizeOfNextBlock(): number {
    const now = performance.now()
    const lasted = now - this.#refilledAt
    this.#refilledAt = now
    if (lasted < FAST_MS) this.#blockSize = Math.min(MAX_BLOCK, this.#blockSize * 2)
    else if (lasted > SLOW_MS) this.#blockSize = 1
    return Math.max(this.#blockSize, Math.min(MAX_BLOCK, this.#waiters.length))
  }
}

/** @param db commits by itself and has connections of its own, never those of open transactions. */
export function createSerialSequences({ db }: { db: Db }): SerialSequences {
  const sequences = new Map<string, Sequence>()
  let closed = false

  const refillOf = (workspaceId: string, templateId: string) => async (count: number) => {
    try {
      return await store.takeSerials(db, workspaceId, templateId, count)
    } catch (error) {
      throw isForeignKeyViolation(error) ? new Failure('template_not_found') : error
    }
  }
  const forgetIdle = (): void => {
    for (const [key, sequence] of sequences) if (sequence.isIdle) sequences.delete(key)
  }
  const sequenceOf = (workspaceId: string, templateId: string): Sequence => {
    const key = `${workspaceId} ${templateId}`
    const known = sequences.get(key)
    if (known !== undefined) return known
    if (sequences.size >= MAX_IDLE) forgetIdle()
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
      if (unused.length > 0) await store.keepUnusedSerials(db, unused)
    },
  }
}
