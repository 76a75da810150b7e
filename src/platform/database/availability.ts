/**
 * Knows whether the database answers, by asking it twice a second on a connection of its own. Once
 * it is known that it does not, callers are refused at once: otherwise each would wait for its own
 * timeout, one after the other.
 */
import type pg from 'pg'
import { Failure } from '../errors/errors.ts'
import { connector } from './primary-client.ts'

export interface AvailabilityOptions {
  connection: pg.PoolConfig
  /** Milliseconds within which an available database opens a connection, and answers on it. */
  limitMs: number
  /** Called when the database stops answering (`error`) and when it answers again (undefined). */
  onChange: (error: Error | undefined) => void
  /** Called when a connection was lost although the database can be reached. */
  onReconnect: (error: Error) => void
}

const PROBE_EVERY_MS = 500
const RETRY_AFTER_SECONDS = 2

/** Errors that say nothing of the database: this process or the server has no connection left. */
const NO_STATEMENT = new Set(['EMFILE', 'ENFILE', '53300'])

export class Availability {
  readonly #options: AvailabilityOptions
  #client: pg.Client | undefined
  /** When any statement was last answered, by `performance.now()`. */
  #respondedAt = 0
  #problem: Error | undefined
  #timer: NodeJS.Timeout | undefined
  #probing: Promise<void> | undefined
  #isStopped = false

  constructor(options: AvailabilityOptions) {
    this.#options = options
  }

  /** Called when any statement of this process succeeded. */
  noteResponse(): void {
    this.#respondedAt = performance.now()
  }

  /** @throws Failure unavailable if the database is known not to answer */
  requireAvailable(): void {
    if (this.#problem === undefined) return
    throw new Failure('unavailable', {
      detail: 'The database is not available. Acknowledged changes are stored.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: this.#problem,
    })
  }

  start(): void {
    this.#timer = undefined
    this.#probing = this.#probe().finally(() => {
      if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), PROBE_EVERY_MS)
    })
  }

  /** Probes now instead of in a moment, because a connection was lost. */
  expedite(): void {
    if (this.#timer === undefined || this.#isStopped) return
    clearTimeout(this.#timer)
    this.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    // Also ends a query that hangs.
    const ended = this.#disconnect()
    await this.#probing
    await Promise.all([ended, this.#disconnect()])
  }

  /**
   * Asks on the open connection, and if that fails, once more on a new one. On a machine that is
   * merely busy, both may take too long while others get their results.
   */
  async #probe(): Promise<void> {
    const startedAt = performance.now()
    const hadClient = this.#client !== undefined
    const first = await this.#ask()
    const error = first && hadClient && !this.#isStopped ? await this.#ask() : first
    if (this.#isStopped || (error && this.#saysNothing(error, startedAt))) return
    const was = this.#problem
    this.#problem = error
    if ((was === undefined) !== (error === undefined)) this.#options.onChange(error)
    else if (first !== undefined && error === undefined) this.#options.onReconnect(first)
  }

  /** Whether a failed probe is no reason to refuse callers. */
  #saysNothing(error: Error & { code?: string }, startedAt: number): boolean {
    if (error.code !== undefined) return NO_STATEMENT.has(error.code)
    return this.#respondedAt > startedAt
  }

  async #ask(): Promise<Error | undefined> {
    try {
      this.#client ??= await this.#connect()
      await this.#client.query('SELECT 1')
      return undefined
    } catch (error) {
      // Not awaited: a connection to a database that hangs may never end.
      void this.#disconnect()
      return error as Error
    }
  }

  #connect(): Promise<pg.Client> {
    const { connection, limitMs } = this.#options
    const limits = { connectionTimeoutMillis: limitMs, query_timeout: limitMs }
    return connector({ ...connection, ...limits })()
  }

  async #disconnect(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }
}
