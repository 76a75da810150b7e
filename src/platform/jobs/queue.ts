/**
 * Runs background tasks by graphile-worker: a job commits with the change that enqueues it, is
 * picked up by one process within milliseconds, and is taken over by another if that process is
 * killed.
 */
import pg from 'pg'
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Logger,
  runMigrations,
  runTaskList,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import { type Db, isConnectionError, isOutage } from '../database/connect.ts'
import { withDeadline } from '../lib/deadline.ts'
import { messageOf } from '../lib/system-errors.ts'
import { during } from '../trace/span.ts'
import type { Tracer } from '../trace/tracer.ts'
import { type Task, TRACEPARENT } from './job.ts'
import * as store from './store.ts'

/** How long the library may still write after its workers have ended. */
const LAST_WRITES_MS = 5_000

/**
 * The library resolves task ids once and caches the result, even a failure: workers that started
 * while the database went away would fail forever.
 *
 * @param maxFailures consecutive failures after the start
 */
function restartIfStuck(events: WorkerEvents, maxFailures: number): void {
  let failures = 0
  const isWell = (): void => {
    failures = Number.NEGATIVE_INFINITY
  }
  events.on('worker:getJob:empty', isWell)
  events.on('job:start', isWell)
  events.on('worker:getJob:error', ({ worker }) => {
    failures += 1
    if (failures === maxFailures) void worker.workerPool.gracefulShutdown('it is stuck')
  })
}

/**
 * Resolves a while after the workers have ended. Once one completion was not written, the library
 * miscounts those in progress, and may wait for them forever.
 */
function afterLastWrites(events: WorkerEvents): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const begin = (): void => void setTimeout(resolve, LAST_WRITES_MS).unref()
  events.on('pool:gracefulShutdown:complete', begin)
  events.on('pool:forcefulShutdown:complete', begin)
  events.on('pool:forcefulShutdown:error', begin)
  return promise
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface QueueOptions {
  /** For the queue's two connections: one listens, one claims and completes jobs. */
  connection: pg.PoolConfig
  /** For all other queries of the queue. */
  db: Db
  /** See `DatabaseOptions`. */
  prepared: boolean
  tasks: readonly Task[]
  nodeId: string
  /** Whether other processes may share the database. */
  isShared: boolean
  /** Without it, tasks are not traced. */
  tracer?: Tracer | undefined
  log: (level: LogLevel, message: string, fields?: Record<string, unknown>) => void
}

/** Concurrent tasks per process. */
const CONCURRENCY = 4
/** For jobs with a later due time, and for poolers that block notifications. */
const POLL_MS = 2_000
const DRAIN_MS = 4_000
const RESTART_MS = 1_000
/** Even a daily task runs soon after the first start. */
const LONGEST_FIRST_WAIT_MS = 60_000
/** Permanently failed jobs are kept this long for inspection. */
const KEEP_GIVEN_UP_DAYS = 14

const levels = { error: 'warn', warning: 'warn', info: 'debug', debug: 'debug' } as const

/** An outage is logged once for all; errors come from the library's pool or from a task. */
const isAway = (error: unknown): boolean => isConnectionError(error) || isOutage(error)

const loggerFor = (log: QueueOptions['log']): Logger =>
  new Logger(
    ({ taskIdentifier }) =>
      (level, message, meta) =>
        log(isAway(meta?.error) ? 'debug' : levels[level], `queue: ${message}`.slice(0, 500), {
          ...(taskIdentifier !== undefined && { task: taskIdentifier }),
        }),
  )

const describeError = (error: unknown): string => messageOf(error).slice(0, 500)

/** @param stopping once aborted, losing the database is expected */
function openPool({ connection, log }: QueueOptions, stopping: AbortSignal): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max: 2,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'mooring-queue',
  })
  const onError = (error: Error): void => {
    const level = stopping.aborted || isAway(error) ? 'debug' : 'warn'
    log(level, 'a connection of the queue was lost', { error: error.message })
  }
  pool.on('error', onError)
  // A client that dies while checked out emits `error`, which unhandled would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

type TracedPayload = Record<string, unknown> & { [TRACEPARENT]?: string }

/** A periodic task is rescheduled whether or not this run succeeds. */
function runnable(options: QueueOptions, signal: AbortSignal): TaskList {
  const { db, log, tasks, tracer } = options
  const entries = tasks.map((task) => {
    const { name, everyMs } = task
    const once = (given: unknown): Promise<void> => {
      const { [TRACEPARENT]: traceparent, ...payload } = given as TracedPayload
      const start = { name, kind: 'consumer' as const }
      const span = tracer?.follow(start, traceparent) ?? tracer?.root(start)
      return during(span, () => task.run(payload, signal))
    }
    if (everyMs === undefined) return [name, once]
    const repeated = async (payload: unknown): Promise<void> => {
      await once(payload).catch((error: unknown) =>
        log('warn', `${name} failed`, { error: describeError(error) }),
      )
      await store.addRepetition(db, name, everyMs, 'replace')
    }
    return [name, repeated]
  })
  return Object.fromEntries(entries) as TaskList
}

export class Queue {
  readonly #options: QueueOptions
  readonly #stopping = new AbortController()
  #name: string
  #workers: WorkerPool | undefined
  #running: Promise<void> | undefined

  constructor(options: QueueOptions) {
    const names = new Set(options.tasks.map(({ name }) => name))
    if (names.size < options.tasks.length) throw new Error('two tasks have the same name')
    this.#options = options
    this.#name = store.workerName(options.nodeId, 1)
  }

  /** Releases jobs of dead processes and starts. This node must already be listed as alive. */
  async start(): Promise<void> {
    const { db, isShared, tasks } = this.#options
    await this.#unlock(!isShared)
    for (const { name, everyMs } of tasks) {
      if (everyMs === undefined) continue
      const firstMs = Math.min(everyMs, LONGEST_FIRST_WAIT_MS)
      await store.addRepetition(db, name, firstMs, 'preserve_run_at')
    }
    this.#running = this.#run()
  }

  /** Releases jobs of processes that have died since. */
  unlockDead(): Promise<void> {
    return this.#unlock(false)
  }

  /** Stops claiming jobs, aborts running ones, and waits a limited time for their end. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    const ended = Promise.resolve(this.#workers?.gracefulShutdown('the service stops'))
      .then(() => this.#running)
      .catch(() => {})
    // A job that does not finish stays locked until another process sees that this one is gone.
    await withDeadline(DRAIN_MS, ended, () => {})
  }

  #unlock(all: boolean): Promise<void> {
    const { db, nodeId } = this.#options
    return store.unlockDeadWorkers(db, nodeId, this.#name, all)
  }

  /** The library's workers may stop when the database goes away; they are restarted. */
  async #run(): Promise<void> {
    const { log, nodeId } = this.#options
    const { signal } = this.#stopping
    const pool = openPool(this.#options, signal)
    for (let beginning = 1; !signal.aborted; beginning += 1) {
      const events: WorkerEvents = new EventEmitter()
      const isOver = afterLastWrites(events)
      this.#workers = this.#work(pool, events)
      await Promise.race([this.#workers.promise, isOver]).catch((error: unknown) => {
        if (!signal.aborted) log('warn', 'the queue restarts', { error: describeError(error) })
      })
      this.#name = store.workerName(nodeId, beginning + 1)
      await this.#databaseIsBack()
    }
    await pool.end()
  }

  /** Resolves when the database is back, with the ended workers' jobs released, or at shutdown. */
  async #databaseIsBack(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(RESTART_MS, undefined, { signal }).catch(() => {})
      try {
        return await this.#unlock(false)
      } catch {
        // Still away.
      }
    }
  }

  #work(pool: pg.Pool, events: WorkerEvents): WorkerPool {
    const { prepared, log } = this.#options
    // Jobs record who claimed them; by this name they are found after a crash.
    events.on('pool:create', ({ workerPool }) => {
      workerPool.id = this.#name
    })
    restartIfStuck(events, 2 * CONCURRENCY)
    const options = {
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noPreparedStatements: !prepared,
      noHandleSignals: true,
      logger: loggerFor(log),
      events,
      // Unbatched: with batches the library neither waits for a completion to be written nor sees
      // that it failed, and a failure there would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    }
    return runTaskList(options, runnable(this.#options, this.#stopping.signal), pool)
  }
}

export function createQueue(options: QueueOptions): Queue {
  const evict: Task = {
    name: 'queue.forget',
    everyMs: 3_600_000,
    run: () => store.deleteGivenUp.run(options.db, { days: KEEP_GIVEN_UP_DAYS }),
  }
  return new Queue({ ...options, tasks: [...options.tasks, evict] })
}

/**
 * Creates or updates the schema `graphile_worker`, which the library makes itself; running services
 * are not affected.
 */
export async function migrateQueue(connection: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...connection, max: 1 })
  // A lost connection also fails the pending query; an unhandled `error` event would end the
  // process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) })
  } finally {
    await pool.end()
  }
}
