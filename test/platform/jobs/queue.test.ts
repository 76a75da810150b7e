/** The background queue: an enqueued task runs, in one process, also after one has died. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test, type TestContext } from 'node:test'
import pg from 'pg'
import {
  connectDatabase,
  type Database,
  type Db,
  unnamed,
} from '../../../src/platform/database/connect.ts'
import {
  enqueue as enqueueKind,
  type EnqueueOptions,
  type Task,
  taskKind,
  taskOf,
} from '../../../src/platform/jobs/job.ts'
import { createQueue, type Queue, type QueueOptions } from '../../../src/platform/jobs/queue.ts'
import { readBacklog } from '../../../src/platform/jobs/store.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const AT_ONCE = 4

interface Parts {
  tasks: Task[]
  log?: QueueOptions['log']
  nodeId?: string
  isShared?: boolean
}

/** No queue of this process gets a connection any more. */
function refuseQueues(t: TestContext) {
  const connect = Reflect.get(pg.Pool.prototype, 'connect') as (...args: unknown[]) => unknown
  return t.mock.method(pg.Pool.prototype, 'connect', function (this: pg.Pool, ...args: unknown[]) {
    if (this.options.application_name !== 'mooring-queue') return connect.apply(this, args)
    const error = new Error('timeout exceeded when trying to connect')
    const [callback] = args as [((error: Error) => void)?]
    return callback === undefined ? Promise.reject(error) : callback(error)
  })
}

suite('the queue', () => {
  let connection: pg.PoolConfig
  let db: Database
  const closers: (() => unknown)[] = []
  before(async () => {
    connection = await cloneDatabase({
      after: (close) => void closers.push(close as () => unknown),
    })
    db = connectDatabase({
      connection,
      poolSize: 4,
      prepared: true,
      statementTimeoutMs: 30_000,
      acquireTimeoutMs: 30_000,
    })
  })
  after(async () => {
    await db.close()
    for (const close of closers) await close()
  })

  const live = (nodeId: string): Promise<unknown> =>
    db.query(
      unnamed('INSERT INTO nodes (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET beat_at = now()'),
      [nodeId],
    )

  async function start(t: TestContext, parts: Parts): Promise<Queue> {
    const { tasks, nodeId = randomUUID(), isShared = true, log = () => {} } = parts
    await live(nodeId)
    const options = { connection, db, prepared: true, tasks, nodeId, isShared, log }
    const queue = createQueue(options)
    await queue.start()
    defer(t, () => queue.stop())
    return queue
  }

  const enqueue = (on: Db, task: string, payload: object, options?: EnqueueOptions) =>
    enqueueKind(on, taskKind(task), payload, options)

  /** A task that notes what it was given. */
  const noting = (name: string, seen: unknown[]): Task => ({
    name,
    run(payload) {
      seen.push(payload)
      return Promise.resolve()
    },
  })

  test('a task runs if the transaction commits that asked for it, in one process', async (t) => {
    const seen: unknown[] = []
    const tasks = [noting('noted', seen)]
    await Promise.all([start(t, { tasks }), start(t, { tasks })])
    const refused = db.transaction(async (trx) => {
      await enqueue(trx, 'noted', { refused: true })
      throw new Error('no')
    })
    await assert.rejects(refused, /no/)
    const numbers = Array.from({ length: 20 }, (_, number) => number)
    await Promise.all(
      numbers.map((number) => db.transaction((trx) => enqueue(trx, 'noted', { number }))),
    )
    await until('all have run', () => seen.length >= numbers.length)
    await sleep(100)
    const ran = seen.map((payload) => (payload as { number: number }).number)
    assert.deepEqual(
      ran.toSorted((a, b) => a - b),
      numbers,
    )
  })

  test('the last of several waiting tasks with one key runs', async (t) => {
    const seen: unknown[] = []
    const runAtMs = Date.now() + 1_000
    for (const number of [1, 2, 3]) await enqueue(db, 'keyed', { number }, { key: 'k', runAtMs })
    await enqueue(db, 'keyed', { number: 4 }, { key: 'k' })
    await start(t, { tasks: [noting('keyed', seen)] })
    await until('it has run', () => seen.length > 0)
    await sleep(100)
    assert.deepEqual(seen, [{ number: 4 }])
  })

  test('a payload that an older release enqueued has the defaults of what it lacks', async (t) => {
    const kind = taskKind<{ id: string; isAll: boolean }>('defaulted', { isAll: true })
    const seen: unknown[] = []
    const run = (payload: object) => Promise.resolve(void seen.push(payload))
    await enqueue(db, kind.name, { id: 'old' })
    await enqueueKind(db, kind, { id: 'new', isAll: false })
    await start(t, { tasks: [taskOf(kind, run)] })
    await until('both have run', () => seen.length === 2)
    assert.deepEqual(
      new Set(seen),
      new Set([
        { id: 'old', isAll: true },
        { id: 'new', isAll: false },
      ]),
    )
  })

  test('a failed task is tried again', async (t) => {
    let tries = 0
    const run = (): Promise<void> => {
      tries += 1
      return tries === 1 ? Promise.reject(new Error('not yet')) : Promise.resolve()
    }
    await start(t, { tasks: [{ name: 'fails-once', run }] })
    await enqueue(db, 'fails-once', {})
    await until('it was tried again', () => tries === 2)
  })

  const hanging = (name: string, begun: () => void): Task => ({
    name,
    run: (_payload, signal) =>
      new Promise((resolve) => {
        begun()
        signal.addEventListener('abort', () => resolve())
      }),
  })

  for (const [owner, isShared, beats] of [
    ['a process without a heartbeat', true, false],
    ['a process from before the only one', false, true],
  ] as const) {
    test(`tasks of ${owner} are taken over by another one`, async (t) => {
      const name = `left-by-${isShared ? 'dead' : 'all'}`
      let taken = 0
      const nodeId = randomUUID()
      await start(t, { tasks: [hanging(name, () => (taken += 1))], nodeId })
      // As many as it runs at once: it takes none of them again.
      for (let number = 0; number < AT_ONCE; number += 1) await enqueue(db, name, { left: true })
      await until('all are taken', () => taken === AT_ONCE)
      if (!beats) await db.query(unnamed('DELETE FROM nodes WHERE id = $1'), [nodeId])
      const seen: unknown[] = []
      await start(t, { tasks: [noting(name, seen)], isShared })
      await until('all are taken up', () => seen.length === AT_ONCE)
      assert.deepEqual(seen[0], { left: true })
    })
  }

  test('tasks of a living process are not taken over', async (t) => {
    let isTaken = false
    await start(t, { tasks: [hanging('held', () => (isTaken = true))] })
    await enqueue(db, 'held', {})
    await until('it is taken', () => isTaken)
    const seen: unknown[] = []
    const other = await start(t, { tasks: [noting('held', seen)] })
    await other.unlockDead()
    await sleep(100)
    assert.deepEqual(seen, [])
  })

  test('a queue is free again although two processes have ended its task', async (t) => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const seen: unknown[] = []
    const ending = (end: Promise<void>): Task => ({
      name: 'in-turn',
      run(payload) {
        seen.push(payload)
        return end
      },
    })
    const silent = randomUUID()
    let held = 0
    const tasks = [ending(first.promise), hanging('beside', () => (held += 1))]
    await start(t, { tasks, nodeId: silent })
    await enqueue(db, 'in-turn', { number: 1 }, { queue: 'lane' })
    // As many as it runs at once: it does not take it again by itself.
    for (let running = 1; running < AT_ONCE; running += 1) await enqueue(db, 'beside', {})
    await until('all are taken', () => seen.length === 1 && held === AT_ONCE - 1)
    // It is silent for so long that it is taken for dead.
    await db.query(unnamed('DELETE FROM nodes WHERE id = $1'), [silent])
    const other = await start(t, { tasks: [ending(second.promise)] })
    await until('it is taken by another one', () => seen.length === 2)
    first.resolve()
    const left = unnamed(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'in-turn' AND locked_by IS NOT NULL`,
    )
    await until('the first one has ended it', async () => (await db.query(left)).length === 0)
    second.resolve()
    await enqueue(db, 'in-turn', { number: 2 }, { queue: 'lane' })
    const passes = `UPDATE graphile_worker._private_job_queues
                    SET locked_at = locked_at - interval '1 minute' WHERE queue_name = 'lane'`
    await db.query(unnamed(passes))
    await until('its turn comes', async () => {
      await other.unlockDead()
      return seen.length === 3
    })
    assert.deepEqual(seen[2], { number: 2 })
  })

  test('a periodic task runs again and again, in one process at a time', async (t) => {
    let running = 0
    let peak = 0
    let runs = 0
    const task: Task = {
      name: 'repeated',
      everyMs: 10,
      async run() {
        running += 1
        peak = Math.max(peak, running)
        await sleep(20)
        running -= 1
        runs += 1
        if (runs === 1) throw new Error('a failed run does not end the repetition')
      },
    }
    const first = await start(t, { tasks: [task] })
    await start(t, { tasks: [task] })
    await until('it has run three times', () => runs >= 3)
    await first.stop()
    const before = runs
    await until('another process continues it', () => runs > before)
    assert.equal(peak, 1)
    const [row] = await db.query<{ waiting: number }>(
      unnamed(`SELECT count(*) AS waiting FROM graphile_worker.jobs
               WHERE task_identifier = 'repeated' AND attempts < max_attempts`),
    )
    assert.equal(row?.waiting, 1, 'there is one chain of runs')
  })

  test('lost connections end neither the process nor the queue', async (t) => {
    const seen: unknown[] = []
    await start(t, { tasks: [noting('after-loss', seen)] })
    const cut = unnamed(
      `SELECT count(pg_terminate_backend(pid)) AS cut FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'mooring-queue'`,
    )
    await until('connections are closed', async () => {
      const [row] = await db.query<{ cut: number }>(cut)
      return (row?.cut ?? 0) > 0
    })
    await enqueue(db, 'after-loss', {})
    await until('it runs', () => seen.length === 1)
  })

  test('the queue continues when tasks end after the end of one could not be written', async (t) => {
    const seen: unknown[] = []
    const running: PromiseWithResolvers<void>[] = []
    const waits: Task = {
      name: 'waits',
      run() {
        running.push(Promise.withResolvers())
        return running.at(-1)?.promise ?? Promise.resolve()
      },
    }
    const lines: string[] = []
    const log = (_level: string, message: string): unknown => lines.push(message)
    await start(t, { tasks: [waits, noting('later', seen)], log })
    for (let count = 0; count < AT_ONCE; count += 1) await enqueue(db, waits.name, {})
    await until('all run', () => running.length === AT_ONCE)
    const refusing = refuseQueues(t)
    running.shift()?.resolve()
    await until('it has failed', () => lines.some((line) => line.includes('Failed to complete')))
    refusing.mock.restore()
    for (const { resolve } of running) {
      resolve()
      await sleep(100)
    }
    await enqueue(db, 'later', {})
    await until('it continues', () => seen.length > 0)
  })

  test('a stop aborts running tasks and waits for their end', async (t) => {
    let isTaken = false
    let isEnded = false
    const task: Task = {
      name: 'stopped',
      async run(_payload, signal) {
        isTaken = true
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await sleep(50)
        isEnded = true
      },
    }
    const queue = await start(t, { tasks: [task] })
    await enqueue(db, 'stopped', {})
    await until('it runs', () => isTaken)
    await queue.stop()
    assert.ok(isEnded)
    const [row] = await db.query<{ left: number }>(
      unnamed(
        `SELECT count(*) AS left FROM graphile_worker.jobs WHERE task_identifier = 'stopped'`,
      ),
    )
    assert.equal(row?.left, 0, 'it counts as done')
  })

  test('a run that is killed after its successor was enqueued is not a failed task', async () => {
    const successor = (): Promise<void> =>
      enqueue(db, 'superseded', {}, { key: 'superseded', runAtMs: Date.now() + 3_600_000 })
    const failed = async (): Promise<number> => (await readBacklog.one(db)).failed
    const before = await failed()
    await successor()
    await db.query(
      unnamed(`UPDATE graphile_worker._private_jobs
               SET locked_at = now(), locked_by = 'node:gone:1' WHERE key = 'superseded'`),
    )
    await successor()
    assert.equal(await failed(), before)
    await db.query(unnamed(`SELECT FROM graphile_worker.force_unlock_workers('{node:gone:1}')`))
    assert.equal(await failed(), before)
  })

  test('two tasks of one name are refused', () => {
    const parts = { connection, db, prepared: true, isShared: true, nodeId: randomUUID() }
    const log = (): void => {}
    const task = noting('same', [])
    assert.throws(() => createQueue({ ...parts, log, tasks: [task, task] }), /same/)
  })
})
