/**
 * Notifies the streams of a process of what changes in their workspaces. Each workspace with
 * streams has one reader of its feed, and all watched resources are read together.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { retryUntilDone } from '../../../platform/lib/retry-until-done.ts'
import { followFeed } from '../feed/event-feed.ts'
import type { EventServices } from '../feed/event-watch.ts'
import type { EventView } from '../feed/event-reading.ts'
import type { HintBuffer } from './hint-buffer.ts'
import { type Hint, hintOf } from './hints.ts'
import { type Watched, WatchedResources } from './watched-resources.ts'

const READ_MS = 500
const RETRY_MS = 1_000

export interface LiveTimes {
  /** A stream is sent something at least this often. */
  beatMs: number
  /** Hints of one resource are sent at most this often. */
  gatherMs: number
}

export interface LiveServices {
  liveHub: LiveHub
}

type HubServices = EventServices & { db: Db; keyring: Keyring }

/** The streams of one workspace, and the reader that notifies them. */
class WorkspaceStreams {
  readonly buffers = new Set<HintBuffer>()
  readonly #workspaceId: string
  readonly #services: HubServices
  readonly #closed = new AbortController()
  #started = Promise.withResolvers<void>()
  #hasFailed = false

  constructor(workspaceId: string, services: HubServices) {
    this.#workspaceId = workspaceId
    this.#services = services
    const { signal } = this.#closed
    this.#started.promise.catch(() => {})
    void retryUntilDone(() => this.#follow(), {
      pauseMs: RETRY_MS,
      isWanted: () => !signal.aborted && !services.eventTails.isEnded,
      failed: (error) => this.#fail(error),
    })
  }

  /** Resolves when the reader is at the end of the feed; rejects if it cannot be read. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  close(): void {
    this.#closed.abort()
  }

  publish(hint: Hint): void {
    for (const buffer of this.buffers) buffer.add(hint)
  }

  #fail(error: unknown): void {
    this.#hasFailed = true
    this.#started.reject(error)
    this.#started = Promise.withResolvers()
    this.#started.promise.catch(() => {})
  }

  async #follow(): Promise<void> {
    const context = { ...this.#services, workspaceId: this.#workspaceId }
    const stream = { lastEventId: undefined, signal: this.#closed.signal }
    let isStarted = false
    for await (const messages of followFeed(context, { after: 'latest' }, stream)) {
      if (!isStarted) {
        isStarted = true
        this.#started.resolve()
        // Events since the end of the previous reader are not read.
        if (this.#hasFailed) for (const buffer of this.buffers) buffer.drop()
      }
      for (const { data } of messages) {
        const hint = data === undefined ? undefined : hintOf(data as EventView)
        if (hint !== undefined) this.publish(hint)
      }
    }
  }
}

export class LiveHub implements LiveTimes {
  readonly beatMs: number
  readonly gatherMs: number
  readonly #services: HubServices
  readonly #resources: WatchedResources
  readonly #workspaces = new Map<string, WorkspaceStreams>()

  constructor(
    services: HubServices,
    { beatMs, gatherMs }: LiveTimes = { beatMs: 15_000, gatherMs: 250 },
  ) {
    this.#services = services
    this.beatMs = beatMs
    this.gatherMs = gatherMs
    this.#resources = new WatchedResources({
      db: services.db,
      everyMs: READ_MS,
      onHint: (workspaceId, hint) => this.#workspaces.get(workspaceId)?.publish(hint),
    })
  }

  /**
   * Adds a stream. Resolves when no later change goes unnoticed.
   * @returns ends it
   */
  async join(workspaceId: string, buffer: HintBuffer, resources: readonly Watched[]) {
    const streams = this.#workspaces.get(workspaceId) ?? this.#open(workspaceId)
    streams.buffers.add(buffer)
    const leave = (): void => {
      streams.buffers.delete(buffer)
      if (streams.buffers.size > 0) return
      streams.close()
      if (this.#workspaces.get(workspaceId) === streams) this.#workspaces.delete(workspaceId)
    }
    try {
      await streams.started
      const unwatch = await this.#resources.add(resources)
      return () => {
        unwatch()
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  #open(workspaceId: string): WorkspaceStreams {
    const streams = new WorkspaceStreams(workspaceId, this.#services)
    this.#workspaces.set(workspaceId, streams)
    return streams
  }
}
