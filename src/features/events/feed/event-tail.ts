/**
 * Recent events of workspaces with listeners, read once for all of them. A listener that falls
 * behind reads by itself until it has caught up, so little is kept.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChangeWaits } from '../../../platform/database/change-waits.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { LiveMessage } from '../../../platform/http/live-form.ts'
import {
  type CursorReader,
  type FeedReader,
  isAfter,
  latestPosition,
  readFrom,
  encodePosition,
  viewOf,
} from './event-reading.ts'
import type { EventRow, Position } from './schema.ts'

/** Events per read, and events kept per workspace. */
const LIMIT = 50
const KEPT = 300
/** Characters of event data kept. */
const KEPT_SIZE = 262_144
const WAIT_MS = 600_000
const RETRY_MS = 1_000

/** Signals a tail that there is something to read. */
interface Watch {
  readonly isEnded: boolean
  next(workspaceId: string, after: Position, ms: number, signal: AbortSignal): Promise<boolean>
}

interface TailEvent extends Position {
  type: string
  subjectId: string | null
  message: LiveMessage
  size: number
}

export type TailReader = FeedReader & CursorReader

export const messageOf = (reader: CursorReader, row: EventRow): LiveMessage => ({
  id: encodePosition(reader, row),
  event: row.type,
  data: viewOf(reader.workspaceId, row),
})

/** The events that a listener wants; undefined: all. */
export interface TailChoice {
  types: ReadonlySet<string> | undefined
  deviceId?: string | undefined
}

const isChosen = ({ types, deviceId }: TailChoice, { type, subjectId }: TailEvent): boolean =>
  (types?.has(type) ?? true) && (deviceId === undefined || subjectId === deviceId)

/** The end of one workspace's feed. */
export interface Tail {
  /** Incremented by each read. */
  readonly version: number
  /**
   * Events after a position, and where they end; undefined if no longer kept here.
   * @throws Failure events_gone if they are no longer in the database either
   */
  after(
    position: Position,
    choice: TailChoice,
  ): { messages: LiveMessage[]; next: Position; isEnd: boolean } | undefined
  /** Waits for a newer version, at most `ms` milliseconds or until `signal` aborts. */
  grown(version: number, ms: number, signal: AbortSignal): Promise<unknown>
  leave(): void
}

export interface EventTails {
  /** Whether the process is stopping: nothing more will come. */
  readonly isEnded: boolean
  /** Listeners receive their position at least this often, in milliseconds. */
  readonly beatMs: number
  listen(reader: TailReader): Tail
}

class WorkspaceTail {
  version = 0
  listeners = 0
  readonly #reader: TailReader
  readonly #closed = new AbortController()
  #events: TailEvent[] = []
  /** Events after `#from` up to `#head` are kept; undefined before the first read. */
  #from: Position | undefined
  #head: Position | undefined
  #size = 0
  /** Whether the last read ended before the end of the feed. */
  #isBehind = false
  #gone: Failure | undefined

  constructor(reader: TailReader) {
    this.#reader = reader
  }

  close(): void {
    this.#closed.abort()
  }

  after(position: Position, choice: TailChoice) {
    if (this.#gone !== undefined) throw this.#gone
    const [from, head] = [this.#from, this.#head]
    if (from === undefined || head === undefined || isAfter(from, position)) return undefined
    const following = this.#events.filter((event) => isAfter(event, position))
    const events = following.slice(0, LIMIT)
    const isEnd = events.length === following.length
    const last = isEnd && isAfter(head, position) ? head : (events.at(-1) ?? position)
    return {
      messages: events.filter((event) => isChosen(choice, event)).map(({ message }) => message),
      next: { seq: last.seq, id: last.id },
      isEnd,
    }
  }

  /** Reads until closed; calls `grown` after each read. */
  async run(watch: Watch, grown: () => void): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted && !watch.isEnded && this.#gone === undefined) {
      try {
        await this.#read(watch)
        this.version += 1
        grown()
      } catch (error) {
        if (error instanceof Failure && error.code === 'events_gone') this.#gone = error
        // Without a database nothing happens; it resumes afterwards.
        else await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    }
    grown()
  }

  async #read(watch: Watch): Promise<void> {
    if (this.#head === undefined) {
      this.#head = await latestPosition(this.#reader.safeSequence)
      this.#from = this.#head
      return
    }
    const { workspaceId } = this.#reader
    const { signal } = this.#closed
    if (!this.#isBehind && !(await watch.next(workspaceId, this.#head, WAIT_MS, signal))) return
    const { events, next, isEnd } = await readFrom(this.#reader, this.#head, {
      types: undefined,
      limit: LIMIT,
    })
    for (const row of events) this.#keep(row)
    this.#head = next
    this.#isBehind = !isEnd
  }

  #keep(row: EventRow): void {
    const { seq, id, type, subject_id: subjectId } = row
    const size = JSON.stringify(row.data).length
    const message = messageOf(this.#reader, row)
    this.#events.push({ seq, id, type, subjectId, message, size })
    this.#size += size
    while (this.#events.length > KEPT || this.#size > KEPT_SIZE) {
      const oldest = this.#events.shift()
      if (oldest === undefined) return
      this.#from = oldest
      this.#size -= oldest.size
    }
  }
}

class Tails implements EventTails {
  readonly beatMs: number
  readonly #watch: Watch
  readonly #waits = new ChangeWaits()
  readonly #tails = new Map<string, WorkspaceTail>()

  constructor(watch: Watch, beatMs: number) {
    this.#watch = watch
    this.beatMs = beatMs
  }

  get isEnded(): boolean {
    return this.#watch.isEnded
  }

  listen(reader: TailReader): Tail {
    const { workspaceId } = reader
    const waits = this.#waits
    const tail = this.#tails.get(workspaceId) ?? this.#start(reader)
    tail.listeners += 1
    let isHere = true
    return {
      get version() {
        return tail.version
      },
      after: (position, choice) => tail.after(position, choice),
      grown: (version, ms, signal) =>
        tail.version > version ? Promise.resolve() : waits.next(workspaceId, ms, signal),
      leave: () => {
        if (!isHere) return
        isHere = false
        tail.listeners -= 1
        if (tail.listeners > 0) return
        tail.close()
        if (this.#tails.get(workspaceId) === tail) this.#tails.delete(workspaceId)
      },
    }
  }

  #start(reader: TailReader): WorkspaceTail {
    const { workspaceId } = reader
    const tail = new WorkspaceTail(reader)
    this.#tails.set(workspaceId, tail)
    void tail.run(this.#watch, () => this.#waits.wake(workspaceId))
    return tail
  }
}

export const createEventTails = (watch: Watch, beatMs = 15_000): EventTails =>
  new Tails(watch, beatMs)
