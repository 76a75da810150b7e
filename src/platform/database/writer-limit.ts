/**
 * Limits how many connections of a pool write at the same time. While the disk is slow, or a lock
 * is held for long, writes keep their connections until they time out; the others serve reads.
 */
import { Failure } from '../errors/errors.ts'
import { oncePer } from '../lib/once-per.ts'
import type { Statement } from './query.ts'

/** The keywords of statements that write, or that lock rows, as all SQL here writes them. */
const WRITE = /\b(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|LOCK|FOR SHARE|FOR KEY SHARE)\b/

export const isWrite = oncePer(({ text }: Statement) => WRITE.test(text))

/** Three quarters of a pool: at least one connection writes, and of two or more, one only reads. */
const writersOf = (poolSize: number): number => Math.max(1, Math.floor((poolSize * 3) / 4))

interface Waiter {
  admit: () => void
  timer: NodeJS.Timeout
}

export class WriterLimit {
  readonly #waiters = new Set<Waiter>()
  readonly #waitMs: number
  #free: number

  /** @param waitMs how long a write waits for a connection before it is refused */
  constructor(poolSize: number, waitMs: number) {
    this.#free = writersOf(poolSize)
    this.#waitMs = waitMs
  }

  get waiting(): number {
    return this.#waiters.size
  }

  /** @throws Failure unavailable if no writer finishes in time */
  async run<T>(write: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn()
    try {
      return await write()
    } finally {
      this.#release()
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        this.#waiters.delete(waiter)
        const cause = new Error('too many writes are queued for the database')
        reject(new Failure('unavailable', { retryAfterSeconds: 1, cause }))
      }
      const waiter = { admit: resolve, timer: setTimeout(refuse, this.#waitMs) }
      this.#waiters.add(waiter)
    })
  }

  /** Passes the turn on to the waiter that came first. */
  #release(): void {
    const [first] = this.#waiters
    if (first === undefined) {
      this.#free += 1
      return
    }
    clearTimeout(first.timer)
    this.#waiters.delete(first)
    first.admit()
  }
}
