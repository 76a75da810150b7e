/**
 * The state that all parts of the load share: the running service, the workspace, and one way to
 * send a request that distinguishes acknowledged requests from those that may or may not have
 * happened.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  callUrl,
  type CallOptions,
  type CallResult,
  fullPath,
  type Headers,
} from '../../support/app.ts'
import { type Query, withDatabase } from '../../support/invoiced-workspaces.ts'
import { randomFrom } from '../../support/random.ts'
import type { Service } from '../../support/service.ts'

/** Far longer than any response takes on a busy machine. */
const RESPONSE_TIMEOUT_MS = 60_000
/** After an unknown outcome, so that a service that is down is not asked all the time. */
const PAUSE_MS = 50
/** The attempts of a request after the load, while connections to the database are made again. */
const TRIES = 100

export interface Place {
  /** `/workspaces/ws_…` */
  path: string
  workspaceId: string
  workspaceUuid: string
  templateId: string
  /** Platform key and provision key, as headers. */
  staff: Headers
  factory: Headers
}

export class World {
  readonly seed: number
  readonly dataDir: string
  service: Service
  place!: Place
  round = 0
  /** Whether the load continues. */
  isLoading = false
  readonly acknowledged: Record<string, number> = {}
  unknown = 0
  violations: string[] = []

  constructor(seed: number, dataDir: string, service: Service) {
    this.seed = seed
    this.dataDir = dataDir
    this.service = service
  }

  /** Random numbers of the present round, of one part of the load. */
  random(part: number): () => number {
    return randomFrom(this.seed * 1_000_003 + this.round * 101 + part)
  }

  violate(what: string): void {
    this.violations.push(what)
  }

  count(kind: string, by = 1): void {
    this.acknowledged[kind] = (this.acknowledged[kind] ?? 0) + by
  }

  /**
   * Sends a request of the load.
   * @param kind what is acknowledged by a 2xx
   * @param refusals other statuses that are right as well; all else but 503 is a violation
   * @returns undefined if the outcome is unknown
   */
  async send(
    kind: string,
    method: string,
    path: string,
    options: CallOptions,
    refusals: readonly number[] = [],
  ): Promise<CallResult | undefined> {
    const { origin } = this.service
    const sending = callUrl(origin + fullPath(path), method, options).catch(() => undefined)
    const response = await Promise.race([
      sending,
      sleep(RESPONSE_TIMEOUT_MS, undefined, { ref: false }),
    ])
    if (response === undefined || response.status === 503) {
      this.unknown += 1
      await sleep(PAUSE_MS)
      return undefined
    }
    if (response.status < 300) this.count(kind)
    else if (!refusals.includes(response.status)) {
      this.violate(
        `${kind}: ${method} ${path} was answered with ${response.status}: ${response.text}`,
      )
      return undefined
    }
    return response
  }

  /** Sends a request to a service that is up, again while it says that it is unavailable. */
  async ask(method: string, path: string, options: CallOptions = {}): Promise<CallResult> {
    const url = this.service.origin + fullPath(path)
    for (let tries = 1; ; tries += 1) {
      const response = await callUrl(url, method, { as: this.place.staff, ...options })
      if (response.status !== 503 || tries === TRIES) return response
      await sleep(PAUSE_MS)
    }
  }

  /**
   * Sends rows as NDJSON.
   * @param take gets each result that arrives before the connection ends
   */
  async stream(
    path: string,
    headers: Headers,
    rows: readonly object[],
    take: (result: unknown) => void,
  ): Promise<void> {
    const body = rows.map((row) => JSON.stringify(row)).join('\n')
    let taken = 0
    try {
      const response = await fetch(`${this.service.origin}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...headers },
        body,
      })
      if (response.status !== 200 && response.status !== 503) {
        this.violate(`POST ${path} was answered with ${response.status}`)
      }
      let rest = ''
      const decoder = new TextDecoder()
      for await (const bytes of response.status === 200 ? (response.body ?? []) : []) {
        const lines = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        taken += lines.length
        for (const line of lines) take(JSON.parse(line))
      }
    } catch {
      // The service is gone.
    }
    if (taken < rows.length) {
      this.unknown += rows.length - taken
      await sleep(PAUSE_MS)
    }
  }

  query<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return withDatabase(this.dataDir, work)
  }

  /** The rows of one statement. */
  rows<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> {
    return this.query((query) => query<Row>(sql, values))
  }
}

/** One kind of work, with what it remembers of it. */
export interface Part {
  /** Works until `world.isLoading` ends. */
  load(): Promise<unknown>
  /** After the load, with the service up: adds what is wrong to `world.violations`. */
  check(): Promise<void>
}

export const pick = <T>(random: () => number, from: readonly T[]): T | undefined =>
  from[Math.floor(random() * from.length)]

/** Some of the list, none twice. */
export function sample<T>(random: () => number, from: readonly T[], count: number): T[] {
  const rest = [...from]
  const taken: T[] = []
  while (taken.length < count && rest.length > 0) {
    taken.push(...rest.splice(Math.floor(random() * rest.length), 1))
  }
  return taken
}

/** Repeats `work` while there is a load, with a short pause. */
export async function whileLoading(
  world: World,
  pauseMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  while (world.isLoading) {
    await work()
    await sleep(pauseMs)
  }
}
