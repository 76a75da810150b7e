/**
 * Runs tasks in the background, by graphile-worker: what is asked for with a change commits with
 * it, is taken up by one process within milliseconds, and by another one if that is killed.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Logger,
  runTaskList,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import pg from 'pg'
import type { Db } from '../database/connect.ts'
import type { Periodic, Task } from './job.ts'
import * as store from './store.ts'

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface QueueOptions {
  /** For the queue's two connections: one listens, one takes and ends. */
  connection: pg.PoolConfig
  /** For what the queue asks besides. */
  db: Db
  /** See `DatabaseOptions`. */
  prepared: boolean
  tasks: readonly Task[]
  periodic: readonly Periodic[]
  nodeId: string
  /** Whether other processes may share the database. */
  isShared: boolean
  log: (level: LogLevel, message: string, fields?: Record<string, unknown>) => void
}

export interface Queue {
  /** Frees what dead processes had taken, and begins to take. The node must be listed as alive. */
  start(): Promise<void>
  /** Frees what processes had taken that have died since. */
  unlockDead(): Promise<void>
  /** Takes nothing any more, aborts what runs, and waits for its end, but not for ever. */
  stop(): Promise<void>
}

/** How many tasks run at once in a process. */
const CONCURRENCY = 4
/** For what is due later, and where a pooler keeps notifications away. */
const POLL_MS = 2_000
const DRAIN_MS = 4_000
/** Failures in a row from the beginning. */
const STUCK_AFTER = 2 * CONCURRENCY
const RESTART_MS = 1_000
/** A task that runs once a day is not put off for a day by the first start. */
const LONGEST_FIRST_WAIT_MS = 60_000
/** What failed too often can be looked at meanwhile. */
const KEEP_GIVEN_UP_DAYS = 14

const levels = { error: 'warn', warning: 'warn', info: 'debug', debug: 'debug' } as const

const loggerFor = (log: QueueOptions['log']): Logger =>
  new Logger(
    ({ taskIdentifier }) =>
      (level, message) =>
        log(levels[level], `queue: ${message}`.slice(0, 500), {
          ...(taskIdentifier !== undefined && { task: taskIdentifier }),
        }),
  )

const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 500)

const repetitionOf = ({ task, payload = {}, everyMs }: Periodic): store.Repetition => ({
  task,
  payload,
  everyMs,
})

/** @throws Error for a name that two tasks have, or a repetition of none. */
function demandKnown({ tasks, periodic }: QueueOptions): void {
  const names = new Set(tasks.map(({ name }) => name))
  if (names.size < tasks.length) throw new Error('two tasks have the same name')
  const unknown = periodic.find(({ task }) => !names.has(task))
  if (unknown !== undefined) throw new Error(`there is no task ${unknown.task} to repeat`)
}

/** @param stopping from then on the database may go away. */
function openPool({ connection, log }: QueueOptions, stopping: AbortSignal): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max: 2,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'mooring-queue',
  })
  const onError = ({ message }: Error): void => {
    if (!stopping.aborted) log('warn', 'a connection of the queue was lost', { error: message })
  }
  pool.on('error', onError)
  // One that dies while the library has it says so by an event; unheard, it ends the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** A periodic task waits for its next run whatever becomes of this one. */
function runnable(options: QueueOptions, signal: AbortSignal): TaskList {
  const { db, log, tasks, periodic } = options
  const repetitions = new Map(periodic.map((each) => [each.task, repetitionOf(each)]))
  const entries = tasks.map((task) => {
    const { name } = task
    const once = (payload: unknown): Promise<void> => task.run(payload, signal)
    const repetition = repetitions.get(name)
    if (repetition === undefined) return [name, once]
    const repeated = async (payload: unknown): Promise<void> => {
      await once(payload).catch((error: unknown) =>
        log('warn', `${name} failed`, { error: wordsOf(error) }),
      )
      await store.addRepetition(db, repetition)
    }
    return [name, repeated]
  })
  return Object.fromEntries(entries) as TaskList
}

/**
 * The library looks up the ids of its tasks once and keeps the answer, be it a failure: workers
 * that began just when the database went away would fail for ever.
 */
function restartIfStuck(events: WorkerEvents): void {
  let failures = 0
  const isWell = (): void => {
    failures = Number.NEGATIVE_INFINITY
  }
  events.on('worker:getJob:empty', isWell)
  events.on('job:start', isWell)
  events.on('worker:getJob:error', ({ worker }) => {
    failures += 1
    if (failures === STUCK_AFTER) void worker.workerPool.gracefulShutdown('it is stuck')
  })
}

class GraphileQueue implements Queue {
  readonly #options: QueueOptions
  readonly #stopping = new AbortController()
  #name: string
  #workers: WorkerPool | undefined
  #running: Promise<void> | undefined

  constructor(options: QueueOptions) {
    demandKnown(options)
    this.#options = options
    this.#name = store.workerName(options.nodeId, 1)
  }

  async start(): Promise<void> {
    const { db, isShared, periodic } = this.#options
    await this.#unlock(!isShared)
    for (const each of periodic) {
      const everyMs = Math.min(each.everyMs, LONGEST_FIRST_WAIT_MS)
      await store.seedRepetition(db, { ...repetitionOf(each), everyMs })
    }
    this.#running = this.#run()
  }

  unlockDead(): Promise<void> {
    return this.#unlock(false)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const ended = Promise.resolve(this.#workers?.gracefulShutdown('the service stops'))
      .then(() => this.#running)
      .catch(() => {})
    // What doesn't end stays locked until another process sees that this one is gone.
    await Promise.race([ended, sleep(DRAIN_MS, undefined, { ref: false })])
  }

  #unlock(all: boolean): Promise<void> {
    const { db, nodeId } = this.#options
    return store.unlockDeadWorkers(db, nodeId, this.#name, all)
  }

  /** The library's workers may end by themselves when the database went away: they begin anew. */
  async #run(): Promise<void> {
    const { log, nodeId } = this.#options
    const { signal } = this.#stopping
    const pool = openPool(this.#options, signal)
    for (let beginning = 1; !signal.aborted; beginning += 1) {
      this.#workers = this.#work(pool)
      await this.#workers.promise.catch((error: unknown) => {
        if (!signal.aborted) log('warn', 'the queue begins anew', { error: wordsOf(error) })
      })
      this.#name = store.workerName(nodeId, beginning + 1)
      await this.#databaseIsBack()
    }
    await pool.end()
  }

  /** Resolves when it is, or at the stop. What the ended workers had taken is free then. */
  async #databaseIsBack(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(RESTART_MS, undefined, { signal }).catch(() => {})
      try {
        return await this.#unlock(false)
      } catch {
        // It is away still.
      }
    }
  }

  #work(pool: pg.Pool): WorkerPool {
    const { prepared, log } = this.#options
    const events: WorkerEvents = new EventEmitter()
    // Jobs carry the name of who has taken them; by this one they are found after a kill.
    events.on('pool:create', ({ workerPool }) => {
      workerPool.id = this.#name
    })
    restartIfStuck(events)
    const options = {
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noPreparedStatements: !prepared,
      noHandleSignals: true,
      logger: loggerFor(log),
      events,
      // Without batches the library does not wait for the end of a task to be written, nor hears
      // that it could not be: a failure there would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    }
    return runTaskList(options, runnable(this.#options, this.#stopping.signal), pool)
  }
}

export function createQueue(options: QueueOptions): Queue {
  const { db, tasks, periodic } = options
  const forget: Task = {
    name: 'queue.forget',
    run: () => store.forgetGivenUp(db, KEEP_GIVEN_UP_DAYS),
  }
  return new GraphileQueue({
    ...options,
    tasks: [...tasks, forget],
    periodic: [...periodic, { task: forget.name, everyMs: 3_600_000 }],
  })
}
