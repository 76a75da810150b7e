/**
 * The change feed: how a process learns within a second that another one has narrowed a right.
 * Whatever narrows a right inserts a row into `changes` with its change; every process polls for
 * new rows several times a second. Caches of credentials are only valid while polling succeeds:
 * after a second without it (database down, process suspended) they count as empty, so a revoked
 * credential is never accepted on outdated knowledge. Live sessions and the certificates of own
 * domains follow the next poll that succeeds.
 */
import { performance } from 'node:perf_hooks'
import Type from 'typebox'
import type { Clock } from '../lib/clock.ts'
import { ChangeWaits } from './change-waits.ts'
import type { Db } from './connect.ts'
import { composed, sql } from './sql.ts'

/** Processes of earlier and later builds listen for the same names: they are not renamed. */
const kinds = [
  'api-key',
  'certificate',
  'claim',
  'command',
  'command-end',
  'config',
  'device',
  'domain',
  'hook-probe',
  'moid-devices',
  'moid-session',
  'mqtt-login',
  'mqtt-connection',
  'mqtt-message',
  'mqtt-tail',
  'mqtt-receipt',
  'mqtt-receipt-stamp',
  'mqtt-receipt-told',
  'mqtt-principal',
  'session',
  'subscription',
  'template',
  'user',
  'webhook',
  'workspace',
] as const
export type ChangeKind = (typeof kinds)[number]

export const Changes = Type.Array(
  Type.Object({
    kind: Type.Enum([...kinds]),
    /** UUID. */
    ref: Type.String(),
  }),
)

// New since the previous poll is what its snapshot did not see: transactions that started later or
// were in progress then. So each change is read once, however long another transaction stays open.
// The snapshot and the changes are read by one statement. Rows restored from another server may
// have transaction ids of the future; without the upper bound, every poll would find them. The time
// at which the server was started differs for another server.
const unseen = `(SELECT json_agg(json_build_object('kind', c.kind, 'ref', c.ref) ORDER BY c.id)
  FROM changes c
  WHERE (c.xid >= pg_snapshot_xmax($snapshot?::pg_snapshot)
         AND c.xid < pg_snapshot_xmax(pg_current_snapshot()))
     OR c.xid = ANY (ARRAY(SELECT pg_snapshot_xip($snapshot::pg_snapshot))))`
const read = sql('changes.read')`
  SELECT pg_current_snapshot()::text AS snapshot!,
         extract(epoch FROM clock_timestamp()) * 1000 AS now!,
         extract(epoch FROM pg_postmaster_start_time())::text AS server!,
         ${composed(unseen, Changes, 'changes')}`
const insert = sql('changes.insert')`INSERT INTO changes (kind, ref) VALUES ($kind, $ref)`
const insertAll = sql('changes.insert_all')`
  INSERT INTO changes (kind, ref) SELECT $kind, unnest($refs::uuid[])`
const deleteOld = sql('changes.delete_old')`
  DELETE FROM changes WHERE at < now() - make_interval(secs => $seconds)`

export type ChangeListener = (ref: string) => void

const POLL_MS = 150
const LEASE_MS = 900
/** Polls at startup until one is recent enough. */
const FIRST_READS = 5
/** Retention of rows; a reader that was away longer has a gap. */
const KEEP_SECONDS = 3_600
/** Polls between two deletions of old rows. */
const DELETE_EVERY = 400
/** Maximum number of refs whose last change is known. */
const REMEMBERED = 10_000

/** SQL for statements that insert their change themselves: `kind` is a constant. */
export const changeInsert = (kind: ChangeKind, from: string, ref: string): string =>
  `INSERT INTO changes (kind, ref) SELECT '${kind}', ${ref} FROM ${from}`

export interface FeedOptions {
  /** Used for polling; never the request pool, which may be exhausted. */
  db: Db
  /**
   * Called with the offset between the database's clock and ours, which is exact to half of the
   * round trip. Both are in milliseconds.
   */
  onClockOffset?: (offsetMs: number, roundTripMs: number) => void
  clock: Clock
}

class Feed {
  /** Incremented by each change, to detect values read before one. */
  sequence = 1
  readonly #listeners = new Map<ChangeKind, ChangeListener[]>()
  readonly #gapListeners: (() => void)[] = []
  readonly #recent = new Map<string, number>()
  readonly #waits = new ChangeWaits()
  readonly #options: FeedOptions
  /** The snapshot of the last poll. */
  #snapshot: string | undefined
  /** The server of the last poll, by the time of its start. */
  #server: string | undefined
  /** No evicted or missed change came after this sequence. */
  #floor = 0
  #confirmedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #polls = 0

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Whether the last poll is recent enough to rely on caches. */
  isFresh(): boolean {
    return performance.now() - this.#confirmedAt < LEASE_MS
  }

  /**
   * The sequence of the last change of `ref`; if unknown, one that the change certainly did not
   * come after.
   */
  lastChange(ref: string): number {
    return Math.max(this.#recent.get(ref) ?? 0, this.#floor)
  }

  on(kind: ChangeKind, listener: ChangeListener): void {
    const listeners = this.#listeners.get(kind) ?? []
    this.#listeners.set(kind, [...listeners, listener])
  }

  /** Called when changes may have been missed: everything cached is invalid. */
  onGap(listener: () => void): void {
    this.#gapListeners.push(listener)
  }

  /**
   * Waits for a change of `ref` after sequence `since`: read the sequence first, then the data,
   * then wait. False after `ms` milliseconds, when `signal` aborts, or when the process stops.
   */
  nextChange(ref: string, since: number, ms: number, signal: AbortSignal): Promise<boolean> {
    const changed = this.lastChange(ref) > since
    return changed ? Promise.resolve(true) : this.#waits.next(ref, ms, signal)
  }

  /** Ends all waits and refuses new ones, for shutdown. */
  endWaits(): void {
    this.#waits.end()
  }

  /** Inserts a change in the transaction, and applies it here after the commit. */
  async announce(trx: Db, kind: ChangeKind, ref: string): Promise<void> {
    await insert.run(trx, { kind, ref })
    this.applyAfterCommit(trx, kind, ref)
  }

  /** The same for many refs of one kind. */
  async announceAll(trx: Db, kind: ChangeKind, refs: readonly string[]): Promise<void> {
    if (refs.length === 0) return
    await insertAll.run(trx, { kind, refs })
    for (const ref of refs) this.applyAfterCommit(trx, kind, ref)
  }

  /** Applies a change here that the transaction has inserted itself. */
  applyAfterCommit(trx: Db, kind: ChangeKind, ref: string): void {
    trx.afterCommit(() => this.#apply(kind, ref))
  }

  async start(): Promise<void> {
    // The first poll opens its connection, which alone may take too long on a busy machine.
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
    if (this.#recent.size > REMEMBERED) this.#evictOldest()
    for (const listener of this.#listeners.get(kind) ?? []) listener(ref)
    this.#waits.wake(ref)
  }

  #evictOldest(): void {
    for (const [ref, sequence] of this.#recent) {
      this.#recent.delete(ref)
      this.#floor = sequence
      return
    }
  }

  async #poll(): Promise<void> {
    const { db, clock, onClockOffset } = this.#options
    const startedAt = performance.now()
    const missed = startedAt - this.#confirmedAt > (KEEP_SECONDS / 2) * 1000
    try {
      const snapshot = missed ? null : (this.#snapshot ?? null)
      const state = await read.first(db, { snapshot })
      const [respondedAt, roundTripMs] = [clock.now(), performance.now() - startedAt]
      if (state === undefined) return
      // A promoted replica may reuse transaction ids that the snapshot of its predecessor has seen.
      if (missed || state.server !== this.#server) this.#gap()
      this.#server = state.server
      for (const { kind, ref } of state.changes ?? []) this.#apply(kind, ref)
      this.#snapshot = state.snapshot
      // Knowledge is as old as the start of the poll.
      this.#confirmedAt = startedAt
      onClockOffset?.(Number(state.now) - (respondedAt - roundTripMs / 2), roundTripMs)
      this.#polls += 1
      if (this.#polls % DELETE_EVERY === 0) await deleteOld.run(db, { seconds: KEEP_SECONDS })
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

export type ChangeFeed = Pick<Feed, keyof Feed>

export const createChangeFeed = (options: FeedOptions): ChangeFeed => new Feed(options)
