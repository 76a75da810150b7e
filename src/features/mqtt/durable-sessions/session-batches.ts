/**
 * The broker's store in Postgres. Changes noted while a batch is written are the next batch: under
 * load many changes share one statement and one wait for the disk, and without load nothing waits
 * for others. A failed batch is written again until it succeeds; meanwhile nothing is acknowledged.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  BrokerStore,
  Restored,
  StoreEvents,
  StoreNotes,
} from '../../../adapters/broker/store-port.ts'
import { isOutage } from '../../../platform/database/connect.ts'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import { retryUntilDone } from '../../../platform/lib/retry-until-done.ts'
import { Batch } from './batch.ts'
import { findKept, type RestoringParts } from './restoring.ts'
import { claim, writeBatch } from './store.ts'
import type { StoredWorkspaces } from './stored-workspaces.ts'

export interface DurableStoreParts extends RestoringParts {
  /** The workspaces whose sessions are stored; undefined: all workspaces. */
  workspaces?: StoredWorkspaces | undefined
  warn: (message: string, error: unknown) => void
}

/** The size of a waiting batch from which on publishers have to wait, too. */
const FULL_BYTES = 8_388_608
const FULL_ROWS = 20_000
const RETRY_MS = 200
/** How often the process records that it is alive. */
const BEAT_MS = 5_000
/** How long a stop waits for a database that does not answer. */
const CLOSE_MS = 5_000

export class DurableStore implements BrokerStore {
  writes = 0
  readonly #parts: DurableStoreParts
  #epoch = 0
  #lastId = 0
  #pending = new Batch()
  #writing: Batch | undefined
  #run: Promise<void> | undefined
  #isFailing = false
  #isOver = false
  #events: StoreEvents | undefined
  #beat: NodeJS.Timeout | undefined

  constructor(parts: DurableStoreParts) {
    this.#parts = parts
  }

  get isFull(): boolean {
    return this.#pending.bytes > FULL_BYTES || this.#pending.rows > FULL_ROWS
  }

  keeps(workspaceId: string): boolean {
    return this.#parts.workspaces?.has(workspaceId) ?? true
  }

  async open(events: StoreEvents): Promise<Restored> {
    this.#events = events
    await this.#parts.workspaces?.read()
    const { epoch, last_seen_at: seenAt } = await claim.one(this.#parts.db)
    this.#epoch = epoch
    const { sessions, retained, ...refused } = await findKept(this.#parts, seenAt)
    for (const { id } of [...sessions, ...refused.refusedSessions]) {
      this.#lastId = Math.max(this.#lastId, id)
    }
    for (const session of refused.refusedSessions) this.note().drop(session)
    for (const { workspaceId, topic } of refused.refusedRetained) {
      this.note().unretain(workspaceId, topic)
    }
    this.#beat = setInterval(() => this.#wake(), BEAT_MS).unref()
    return { sessions, retained }
  }

  async close(): Promise<void> {
    clearInterval(this.#beat)
    if (!this.#isOver && !this.#pending.isEmpty) this.#wake()
    await withDeadline(CLOSE_MS, Promise.resolve(this.#run), () => {})
    this.#isOver = true
  }

  after(run: () => void): void {
    const { callbacks, isEmpty } = this.#pending
    if (!isEmpty || callbacks.length > 0) callbacks.push(run)
    else if (this.#writing !== undefined) this.#writing.callbacks.push(run)
    else run()
  }

  newId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  note(): StoreNotes {
    this.writes += 1
    this.#wake()
    return this.#pending
  }

  /** A batch begins at the end of this turn of the event loop, or when the one before it ends. */
  #wake(): void {
    if (this.#isOver) return
    this.#run ??= nextTurn().then(() => this.#writeAll())
  }

  async #writeAll(): Promise<void> {
    do {
      const batch = this.#pending
      this.#writing = batch
      this.#pending = new Batch()
      if (!(await this.#write(batch))) break
      this.#writing = undefined
      this.#committed(batch)
    } while (!this.#pending.isEmpty || this.#pending.callbacks.length > 0)
    this.#run = undefined
  }

  #committed({ callbacks }: Batch): void {
    for (const run of callbacks) {
      try {
        run()
      } catch (error) {
        this.#parts.warn('something that waited for the store of MQTT failed', error)
      }
    }
    this.#events?.drained()
  }

  /** @returns false if another process has the store, or if the store is closed */
  async #write(batch: Batch): Promise<boolean> {
    // An empty batch is written: it shows other processes that this one is alive.
    if (!batch.isEmpty && batch.changesNothing) return true
    const params = batch.params(this.#epoch)
    const isOwner = await retryUntilDone(() => writeBatch.any(this.#parts.db, params), {
      pauseMs: RETRY_MS,
      failed: (error) => this.#writeFailed(error),
      isWanted: () => !this.#isOver,
      ref: true,
    })
    if (isOwner === undefined) return false
    this.#isFailing = false
    if (isOwner) return true
    this.#isOver = true
    clearInterval(this.#beat)
    this.#events?.lost()
    return false
  }

  #writeFailed(error: unknown): void {
    const isFirst = !this.#isFailing && !isOutage(error)
    if (isFirst) this.#parts.warn('sessions of MQTT clients could not be stored', error)
    this.#isFailing = true
  }
}
