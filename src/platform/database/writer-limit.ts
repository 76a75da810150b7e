/**
 * Limits how many connections of a pool write at the same time. While the disk is slow, or a lock
 * is held for long, writes keep their connections until they time out; the others serve reads.
 */
import { Failure } from '../errors/errors.ts'
import { oncePer } from '../lib/once-per.ts'
import { Semaphore } from '../lib/semaphore.ts'
import type { Statement } from './query.ts'

/** The keywords of statements that write, or that lock rows, as all SQL here writes them. */
const WRITE = /\b(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|LOCK|FOR SHARE|FOR KEY SHARE)\b/

export const isWrite = oncePer(({ text }: Statement) => WRITE.test(text))

/** Three quarters of a pool: at least one connection writes, and of two or more, one only reads. */
const writersOf = (poolSize: number): number => Math.max(1, Math.floor((poolSize * 3) / 4))

/** @param waitMs how long a write waits for a connection before it is refused as `unavailable` */
export const writerLimit = (poolSize: number, waitMs: number): Semaphore =>
  new Semaphore({
    concurrency: writersOf(poolSize),
    waitMs,
    refuse: () => {
      const cause = new Error('too many writes are queued for the database')
      return new Failure('unavailable', { retryAfterSeconds: 1, cause })
    },
  })
