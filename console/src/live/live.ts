/**
 * Keeps what a page shows current. Reads that the stream reports as changed are made again then;
 * while there is no stream they are made every few seconds.
 */
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { OperationId } from '../api/client.ts'
import { type Hint, mayShow, readsOf, liveReads } from './map.ts'
import { become, down } from './status.ts'
import { LiveStream } from './stream.ts'

/** Between two rounds of reads, so that a busy fleet costs no more than a slow poll. */
const ROUND_MS = 1_000
let stream: LiveStream | undefined
/** How many components show each topic. */
const topics = new Map<string, number>()

/** A list that reads its next page: to read the list again now would drop that page. */
const isReadingMore = ({ state }: Query): boolean =>
  state.fetchStatus !== 'idle' && state.fetchMeta?.fetchMore !== undefined

/** Makes the reads again that hints have made out of date, in rounds: one after the other. */
class Rounds {
  readonly #client: QueryClient
  #hints: Hint[] = []
  /** Lists that are read again once they have their next page. */
  #later = new Set<string>()
  #isAll = false
  #isRunning = false
  #isClosed = false

  constructor(client: QueryClient) {
    this.#client = client
  }

  close(): void {
    this.#isClosed = true
  }

  add(hint: Hint): void {
    this.#hints.push(hint)
    void this.#run()
  }

  all(): void {
    this.#isAll = true
    void this.#run()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    while (!this.#isClosed && (this.#isAll || this.#hints.length + this.#later.size > 0)) {
      const pause = new Promise((resolve) => setTimeout(resolve, ROUND_MS))
      await this.#round()
      await pause
    }
    this.#isRunning = false
  }

  async #round(): Promise<void> {
    const hints = this.#hints.map((hint) => ({ hint, reads: readsOf(hint) }))
    const isAll = this.#isAll
    const later = this.#later
    this.#hints = []
    this.#isAll = false
    this.#later = new Set()
    const isOutOfDate = ({ queryHash, queryKey: [id, input], state }: Query): boolean => {
      if (later.has(queryHash)) return true
      if (isAll) return state.status === 'error' || liveReads.has(id as OperationId)
      const { params = {} } = (input ?? {}) as { params?: Record<string, unknown> }
      return hints.some(({ hint, reads }) => reads.has(id as OperationId) && mayShow(params, hint))
    }
    await this.#client.invalidateQueries({
      predicate: (query) => {
        if (!isOutOfDate(query)) return false
        if (!isReadingMore(query)) return true
        this.#later.add(query.queryHash)
        return false
      },
    })
  }
}

/** Hears the changes of a workspace as long as it is shown. */
export function useLiveWorkspace(workspaceId: string | undefined): void {
  const client = useQueryClient()
  useEffect(() => {
    if (workspaceId === undefined) return
    const rounds = new Rounds(client)
    const opened = new LiveStream(workspaceId, {
      changed: (hint) => rounds.add(hint),
      missed: () => rounds.all(),
      status: become,
    })
    stream = opened
    opened.show([...topics.keys()])
    return () => {
      rounds.close()
      opened.close()
      stream = undefined
      become(down)
    }
  }, [client, workspaceId])
}

/**
 * Hears about a thing as long as it is shown: `fleet`, `workspace`, or one such as `device:dev_…`.
 */
export function useWatch(topic: string): void {
  useEffect(() => {
    topics.set(topic, (topics.get(topic) ?? 0) + 1)
    stream?.show([...topics.keys()])
    return () => {
      const left = (topics.get(topic) ?? 1) - 1
      if (left > 0) topics.set(topic, left)
      else topics.delete(topic)
      stream?.show([...topics.keys()])
    }
  }, [topic])
}
