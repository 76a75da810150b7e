/**
 * The live stream of this browser: one tab reads it for all tabs that show a workspace. That is the
 * tab that holds a lock; it watches what the visible tabs show, and passes on what it hears.
 * Without a secure context there are no locks; then each visible tab reads for itself.
 */
import { onSession, presentSession } from '../session/session.ts'
import type { Hint } from './map.ts'
import { type Message, messagesOf } from './messages.ts'
import { Failed, openEvents, Refused } from './open-events.ts'
import { down, type LiveStatus } from './status.ts'

export interface LiveListener {
  changed: (hint: Hint) => void
  /** Everything shown may be out of date. */
  missed: () => void
  status: (status: LiveStatus) => void
}

/** The messages between tabs. */
type Note =
  | { type: 'shows'; tab: string; topics: readonly string[] }
  /** Asked by the tab that begins to read. */
  | { type: 'who' }
  | { type: 'heard'; message: Message }
  | { type: 'status'; status: LiveStatus }

const MAX_TOPICS = 20
/** For the responses of the other tabs, and while a page settles. */
const GATHER_MS = 120
/** Without a visible tab the stream is closed after this. */
const IDLE_MS = 30_000
/** The service sends something every 15 seconds. */
const SILENT_MS = 45_000
const MAX_PAUSE_MS = 15_000

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}

/** Waits until somebody is signed in. */
function signedIn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (presentSession().status !== 'in' && !signal.aborted) return
      stop()
      signal.removeEventListener('abort', check)
      resolve()
    }
    const stop = onSession(check)
    signal.addEventListener('abort', check)
    check()
  })
}

export class LiveStream {
  readonly #workspaceId: string
  readonly #listener: LiveListener
  readonly #channel: BroadcastChannel
  readonly #tab = String(Math.random())
  readonly #closed = new AbortController()
  /** The reads of each tab; kept by all, since any of them may have to read next. */
  readonly #shown = new Map<string, readonly string[]>()
  #topics: readonly string[] = []
  #isReading = false
  #status = down
  /** The topics of the open connection. */
  #watched: ReadonlySet<string> = new Set()
  #connection: AbortController | undefined
  #idle: ReturnType<typeof setTimeout> | undefined
  #wake: () => void = () => {}

  constructor(workspaceId: string, listener: LiveListener) {
    this.#workspaceId = workspaceId
    this.#listener = listener
    this.#channel = new BroadcastChannel(`mooring-live-${workspaceId}`)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Note>) => this.#take(data))
    document.addEventListener('visibilitychange', this.#announce)
    window.addEventListener('pagehide', this.#leave)
    window.addEventListener('pageshow', this.#announce)
    const { signal } = this.#closed
    const { locks } = navigator as { locks?: LockManager }
    const read = (): Promise<void> => this.#readAll(signal)
    if (locks === undefined) void read()
    else locks.request(`mooring-live-${workspaceId}`, { signal }, read).catch(() => {})
  }

  /** The reads that this tab shows now. */
  show(topics: readonly string[]): void {
    this.#topics = topics
    this.#announce()
  }

  close(): void {
    this.#leave()
    document.removeEventListener('visibilitychange', this.#announce)
    window.removeEventListener('pagehide', this.#leave)
    window.removeEventListener('pageshow', this.#announce)
    this.#closed.abort()
    this.#channel.close()
  }

  readonly #announce = (): void => this.#shows(document.hidden ? [] : this.#topics)
  readonly #leave = (): void => this.#shows([])

  #shows(topics: readonly string[]): void {
    const note: Note = { type: 'shows', tab: this.#tab, topics }
    this.#channel.postMessage(note)
    this.#take(note)
  }

  #take(note: Note): void {
    if (note.type === 'who') this.#announce()
    else if (note.type === 'heard') this.#hear(note.message)
    else if (note.type === 'status') this.#become(note.status)
    else {
      const isNew = !this.#shown.has(note.tab)
      if (note.topics.length === 0) this.#shown.delete(note.tab)
      else this.#shown.set(note.tab, note.topics)
      if (!this.#isReading) return
      if (isNew) this.#channel.postMessage({ type: 'status', status: this.#status } satisfies Note)
      this.#watchMore()
    }
  }

  /** The reads that the visible tabs show; the rest is read when they are reloaded. */
  #wanted(): string[] {
    const { locks } = navigator as { locks?: LockManager }
    const own = this.#shown.get(this.#tab) ?? []
    const all = locks === undefined ? own : [...own, ...[...this.#shown.values()].flat()]
    return [...new Set(all)].slice(0, MAX_TOPICS)
  }

  #watchMore(): void {
    const wanted = this.#wanted()
    clearTimeout(this.#idle)
    this.#wake()
    if (this.#connection === undefined) return
    const isIdle = wanted.length === 0
    if (!isIdle && wanted.every((topic) => this.#watched.has(topic))) return
    const { signal } = this.#closed
    const connection = this.#connection
    this.#idle = setTimeout(
      () => !signal.aborted && connection.abort(),
      isIdle ? IDLE_MS : GATHER_MS,
    )
  }

  #hear(message: Message): void {
    if (message.event === 'changed') this.#listener.changed(message.data as Hint)
    else this.#listener.missed()
  }

  #become(status: LiveStatus): void {
    this.#status = status
    this.#listener.status(status)
  }

  /** Notifies all tabs, this one too. */
  #pass(note: Extract<Note, { type: 'heard' | 'status' }>): void {
    this.#channel.postMessage(note)
    this.#take(note)
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    this.#isReading = true
    this.#channel.postMessage({ type: 'who' } satisfies Note)
    for (let failures = 0; !signal.aborted; ) {
      await pause(GATHER_MS, signal)
      await this.#untilWanted(signal)
      await signedIn(signal)
      if (signal.aborted) return
      try {
        await this.#connect(signal, () => (failures = 0))
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        await this.#afterFailure(error, failures, signal)
      }
    }
  }

  #untilWanted(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#wanted().length === 0 && !signal.aborted) return
        this.#wake = () => {}
        signal.removeEventListener('abort', check)
        resolve()
      }
      this.#wake = check
      signal.addEventListener('abort', check)
      check()
    })
  }

  async #afterFailure(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const isRefused = error instanceof Refused
    const backOffMs = Math.min(1000 * 2 ** (failures - 1), MAX_PAUSE_MS)
    const pauseMs = isRefused ? Math.max(error.pauseMs, failures > 2 ? backOffMs : 0) : backOffMs
    const retryAt = isRefused ? undefined : Date.now() + pauseMs
    const isReached = isRefused || error instanceof Failed
    this.#pass({ type: 'status', status: { isUp: false, retryAt, isReached } })
    await pause(pauseMs, signal)
  }

  /** Reads one connection to its end. Throws if the service did not open it, or left it silent. */
  async #connect(signal: AbortSignal, onReady: () => void): Promise<void> {
    const connection = new AbortController()
    const end = (): void => connection.abort()
    signal.addEventListener('abort', end)
    const topics = this.#wanted()
    this.#watched = new Set(topics)
    this.#connection = connection
    try {
      const body = await this.#open(topics, connection.signal)
      for await (const message of messagesOf(body, SILENT_MS)) {
        if (message.event === 'ready') {
          onReady()
          this.#pass({ type: 'status', status: { isUp: true, retryAt: undefined } })
        }
        this.#pass({ type: 'heard', message })
      }
    } catch (error) {
      // Closed by this tab, to watch something else.
      if (!connection.signal.aborted) throw error
    } finally {
      connection.abort()
      this.#connection = undefined
      signal.removeEventListener('abort', end)
    }
  }

  #open(topics: readonly string[], signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const query = new URLSearchParams({ watch: topics.join(',') })
    return openEvents(`/api/v1/workspaces/${this.#workspaceId}/live?${query}`, signal)
  }
}
