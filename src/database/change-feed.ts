/**
 * The change feed: how a process learns, within a second, that a right was narrowed by another one.
 * Whatever narrows a right writes a row into `changes` with its change; every process reads the new
 * rows several times a second. What it has cached counts only while that reading goes on: after a
 * second without a good read (database away, process stopped and continued) every cache counts as
 * empty, so a revoked credential is never admitted on old knowledge.
 */
import { performance } from 'node:perf_hooks'
import type { Clock } from '../lib/clock.ts'
import { ChangeWaits } from './change-waits.ts'
import { type Db, statement } from './connect.ts'

export type ChangeKind =
  | 'api-key'
  | 'certificate'
  | 'claim'
  | 'command'
  | 'command-end'
  | 'config'
  | 'device'
  | 'domain'
  | 'moid-devices'
  | 'moid-session'
  | 'mqtt-login'
  | 'mqtt-connection'
  | 'mqtt-message'
  | 'mqtt-receipt'
  | 'mqtt-receipt-stamp'
  | 'mqtt-receipt-told'
  | 'mqtt-principal'
  | 'session'
  | 'subscription'
  | 'template'
  | 'user'
  | 'webhook'
  | 'workspace'

export type ChangeListener = (ref: string) => void

export interface ChangeFeed {
  /** Whether what was learnt from the feed is recent enough to be relied on. */
  isFresh(): boolean
  /** Grows with each change, so that a value read before one is known to be old. */
  readonly sequence: number
  /**
   * The sequence of the last change of `ref`. Where that is not known any more, it is one that the
   * change did surely not come after.
   */
  lastChange(ref: string): number
  on(kind: ChangeKind, listener: ChangeListener): void
  /** Told when changes may have been missed: everything cached is worthless. */
  onGap(listener: () => void): void
  /**
   * Waits for a change of `ref` after the sequence `since`: read the sequence first, then what may
   * change, then wait. False when `ms` milliseconds are over, `signal` aborts or the process stops.
   */
  nextChange(ref: string, since: number, ms: number, signal: AbortSignal): Promise<boolean>
  /** Sends away whoever waits, and lets nobody wait any more: for a process that is to stop. */
  endWaits(): void
  /** Writes a change with the transaction, and applies it here as soon as it is durable. */
  announce(trx: Db, kind: ChangeKind, ref: string): Promise<void>
  /** The same for many refs of one kind. */
  announceAll(trx: Db, kind: ChangeKind, refs: readonly string[]): Promise<void>
  /** Applies a change here that the transaction has written by itself. */
  applyAfterCommit(trx: Db, kind: ChangeKind, ref: string): void
  start(): Promise<void>
  stop(): void
}

const POLL_MS = 150
const LEASE_MS = 900
/** Reads of a start, until one of them is recent enough. */
const FIRST_READS = 5
/** Rows are kept this long; a reader that was away longer has a gap. */
const KEEP_SECONDS = 3_600
const PRUNE_EVERY = 400
/** Refs whose last change is known, at most. */
const REMEMBERED = 10_000

interface FeedRead {
  snapshot: string
  /** Milliseconds since the epoch. */
  now: string
  changes: { kind: ChangeKind; ref: string }[] | null
}

// What came since an earlier read is what its snapshot did not see: transactions that began after
// it, and those that were under way then. So each change comes once, however long another
// transaction stays open. Both the snapshot and the changes are of one statement.
const read = statement(
  'changes.read',
  `SELECT pg_current_snapshot()::text AS snapshot,
          extract(epoch FROM clock_timestamp()) * 1000 AS now,
          (SELECT json_agg(json_build_object('kind', c.kind, 'ref', c.ref) ORDER BY c.id)
           FROM changes c
           WHERE c.xid >= pg_snapshot_xmax($1::pg_snapshot)
              OR c.xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))) AS changes`,
)
const insert = statement('changes.insert', 'INSERT INTO changes (kind, ref) VALUES ($1, $2)')
const insertAll = statement(
  'changes.insert_all',
  'INSERT INTO changes (kind, ref) SELECT $1, unnest($2::uuid[])',
)
const prune = statement(
  'changes.prune',
  `DELETE FROM changes WHERE at < now() - make_interval(secs => $1)`,
)

/** The same text for a statement that writes its change itself: `kind` is a constant. */
export const changeInsert = (kind: ChangeKind, from: string, ref: string): string =>
  `INSERT INTO changes (kind, ref) SELECT '${kind}', ${ref} FROM ${from}`

export interface FeedOptions {
  /** Runs the reads; never the pool of the requests, which may be full. */
  db: Db
  /** Told how far the database's clock is from ours, in milliseconds. */
  onClockOffset?: (offsetMs: number) => void
  clock: Clock
}

class Feed implements ChangeFeed {
  sequence = 1
  readonly #listeners = new Map<ChangeKind, ChangeListener[]>()
  readonly #gapListeners: (() => void)[] = []
  readonly #recent = new Map<string, number>()
  readonly #waits = new ChangeWaits()
  readonly #options: FeedOptions
  /** What the last read saw. */
  #snapshot: string | undefined
  /** No change that is forgotten, or was missed, came after this. */
  #floor = 0
  #goodAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #polls = 0

  constructor(options: FeedOptions) {
    this.#options = options
  }

  isFresh(): boolean {
    return performance.now() - this.#goodAt < LEASE_MS
  }

  lastChange(ref: string): number {
    return Math.max(this.#recent.get(ref) ?? 0, this.#floor)
  }

  on(kind: ChangeKind, listener: ChangeListener): void {
    const listeners = this.#listeners.get(kind) ?? []
    this.#listeners.set(kind, [...listeners, listener])
  }

  onGap(listener: () => void): void {
    this.#gapListeners.push(listener)
  }

  nextChange(ref: string, since: number, ms: number, signal: AbortSignal): Promise<boolean> {
    const changed = this.lastChange(ref) > since
    return changed ? Promise.resolve(true) : this.#waits.next(ref, ms, signal)
  }

  endWaits(): void {
    this.#waits.end()
  }

  async announce(trx: Db, kind: ChangeKind, ref: string): Promise<void> {
    await trx.query(insert, [kind, ref])
    this.applyAfterCommit(trx, kind, ref)
  }

  async announceAll(trx: Db, kind: ChangeKind, refs: readonly string[]): Promise<void> {
    if (refs.length === 0) return
    await trx.query(insertAll, [kind, refs])
    for (const ref of refs) this.applyAfterCommit(trx, kind, ref)
  }

  applyAfterCommit(trx: Db, kind: ChangeKind, ref: string): void {
    trx.afterCommit(() => this.#apply(kind, ref))
  }

  async start(): Promise<void> {
    // The first read opens its connection, which alone takes too long on a machine that is busy.
    for (let reads = 0; reads < FIRST_READS && !this.isFresh(); reads += 1) await this.#poll()
    if (!this.isFresh()) throw new Error('the change feed could not be read')
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.endWaits()
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#poll().finally(() => {
        if (!this.#stopped) this.#schedule()
      })
    }, POLL_MS)
  }

  #apply(kind: ChangeKind, ref: string): void {
    this.sequence += 1
    this.#recent.delete(ref)
    this.#recent.set(ref, this.sequence)
    if (this.#recent.size > REMEMBERED) this.#forgetOldest()
    for (const listener of this.#listeners.get(kind) ?? []) listener(ref)
    this.#waits.wake(ref)
  }

  #forgetOldest(): void {
    for (const [ref, sequence] of this.#recent) {
      this.#recent.delete(ref)
      this.#floor = sequence
      return
    }
  }

  async #poll(): Promise<void> {
    const { db, clock, onClockOffset } = this.#options
    const startedAt = performance.now()
    const missed = startedAt - this.#goodAt > (KEEP_SECONDS / 2) * 1000
    try {
      const [state] = await db.query<FeedRead>(read, [missed ? null : this.#snapshot])
      if (state === undefined) return
      if (missed) this.#gap()
      for (const { kind, ref } of state.changes ?? []) this.#apply(kind, ref)
      this.#snapshot = state.snapshot
      // What is known is as old as the start of the read.
      this.#goodAt = startedAt
      onClockOffset?.(Number(state.now) - clock.now())
      this.#polls += 1
      if (this.#polls % PRUNE_EVERY === 0) await db.query(prune, [KEEP_SECONDS])
    } catch {
      // The lease runs out by itself; the next poll tries again.
    }
  }

  #gap(): void {
    this.sequence += 1
    this.#floor = this.sequence
    this.#recent.clear()
    for (const listener of this.#gapListeners) listener()
    this.#waits.wakeAll()
  }
}

export const createChangeFeed = (options: FeedOptions): ChangeFeed => new Feed(options)
