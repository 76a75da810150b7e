/** The responses to callers while the database hangs, is slow, or is out of resources. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import pg from 'pg'
import { connectDatabase, type Database, unnamed } from '../../../src/platform/database/connect.ts'
import { statement } from '../../support/statement.ts'
import { translate } from '../../../src/platform/database/query.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'
import { startProxy } from '../../support/proxy.ts'
import { until } from '../../support/until.ts'

const one = statement('test.one', 'SELECT 1 AS one')

interface Opened {
  database: Database
  /** Calls of `onAvailability`, in order. */
  seen: ('away' | 'back')[]
}

function open(t: TestContext, connection: pg.PoolConfig, waitMs = 20_000): Opened {
  const seen: Opened['seen'] = []
  const database = connectDatabase({
    connection,
    poolSize: 4,
    prepared: true,
    statementTimeoutMs: waitMs,
    acquireTimeoutMs: waitMs,
    onAvailability: (error) => void seen.push(error ? 'away' : 'back'),
  })
  defer(t, () => database.close())
  return { database, seen }
}

suite('an error of the database', () => {
  const codes = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ECONNREFUSED', 'ENOENT']
  for (const code of [...codes, '58000', '58030', '58P01', '53100', '53300', '57P01', '08006']) {
    test(`${code} means 503`, () => {
      const failure = translate(Object.assign(new Error('refused'), { code })) as { code: string }
      assert.equal(failure.code, 'unavailable')
    })
  }

  for (const code of ['23505', '42601', 'XX000']) {
    test(`${code} does not mean 503`, () => {
      const error = Object.assign(new Error('refused'), { code })
      assert.equal(translate(error), error)
    })
  }
})

/** A process that listens and accepts nothing: stopped, as a frozen server is. */
async function startFrozen(t: TestContext): Promise<pg.PoolConfig> {
  const host = mkdtempSync(join(tmpdir(), 'mooring-frozen-'))
  defer(t, () => rmSync(host, { recursive: true, force: true }))
  const path = `${host}/.s.PGSQL.5432`
  const program = `require('net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 },
    () => process.stdout.write('ready'))`
  const server: ChildProcess = spawn(process.execPath, ['-e', program])
  defer(t, () => void server.kill('SIGKILL'))
  await once(server.stdout as NodeJS.ReadableStream, 'data')
  server.kill('SIGSTOP')
  const waiting: Socket[] = []
  defer(t, () => waiting.forEach((socket) => void socket.destroy()))
  const isFull = async (): Promise<boolean> => {
    const socket = connect(path)
    waiting.push(socket)
    const [error] = (await Promise.race([
      once(socket, 'connect').then(() => []),
      new Promise((resolve) => socket.once('error', (cause) => resolve([cause]))),
    ])) as [{ code?: string }?]
    return error?.code === 'EAGAIN'
  }
  await until('the queue of connections is full', isFull)
  return { host, port: 5432, user: 'nobody', database: 'none', ssl: false }
}

test('a server that is frozen until its queue of connections is full is unavailable', async (t) => {
  const { database } = open(t, await startFrozen(t))
  await assert.rejects(database.query(one), { code: 'unavailable' })
  await assert.rejects(database.points.query(one, []), { code: 'unavailable' })
})

suite('a database that hangs', () => {
  test('is noticed without a call, refuses calls at once, and serves again when it is back', async (t) => {
    const proxy = await startProxy(t, await cloneDatabase(t))
    const { database, seen } = open(t, proxy.connection, 500)
    await until('a first response', async () => (await database.query(one).catch(() => [])).length)
    database.availability.start()
    proxy.freeze()
    await until('the outage is noticed', () => seen.at(-1) === 'away')
    const calls = Array.from({ length: 200 }, (_, index) =>
      index % 2 ? database.query(one) : database.points.query(one, []),
    )
    for (const call of await Promise.allSettled(calls)) {
      assert.ok(call.status === 'rejected')
      const { code, message, options } = call.reason
      assert.deepEqual([code, options.retryAfterSeconds], ['unavailable', 2])
      assert.match(message, /^The database is not available\./)
    }
    proxy.thaw()
    await until('the end of the outage is noticed', () => seen.at(-1) === 'back')
    const serves = async () => (await database.query(one).catch(() => [])).length === 1
    await until('it serves again', serves)
  })

  test('is distinguished from connections that were only lost', async (t) => {
    const proxy = await startProxy(t, await cloneDatabase(t))
    const { database, seen } = open(t, proxy.connection)
    await database.query(one)
    database.availability.start()
    for (let round = 0; round < 5; round += 1) {
      proxy.reset()
      await until('it serves', async () => (await database.query(one).catch(() => [])).length === 1)
    }
    assert.deepEqual(seen, [])
  })
})

test('writes that hang leave connections to reads, and are refused when too many wait', async (t) => {
  const connection = await cloneDatabase(t)
  const { database } = open(t, connection)
  const locker = new pg.Client(connection)
  await locker.connect()
  defer(t, () => locker.end())
  await locker.query('CREATE TABLE things (n int)')
  await locker.query('BEGIN; LOCK TABLE things IN EXCLUSIVE MODE')
  const insert = statement('test.insert', 'INSERT INTO things VALUES (1)')
  const writes = Array.from({ length: 40 }, (_, index) =>
    index % 2 ? database.query(insert) : database.transaction((trx) => trx.query(insert)),
  )
  const settled = Promise.allSettled(writes)
  const waiting = unnamed(
    `SELECT count(*) AS n FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  const hanging = async () => Number((await database.query<{ n: number }>(waiting))[0]?.n)
  await until('writes hang', async () => (await hanging()) === 3)
  const reads = await Promise.all(Array.from({ length: 20 }, () => database.query(one)))
  assert.equal(reads.length, 20)
  assert.equal(await hanging(), 3, 'no more than these')
  await locker.query('COMMIT')
  assert.ok((await settled).every(({ status }) => status === 'fulfilled'))
  const [row] = (await locker.query('SELECT count(*)::int AS n FROM things')).rows
  assert.deepEqual(row, { n: 40 })
})

test('a write that waits too long for its turn is refused', async (t) => {
  const connection = await cloneDatabase(t)
  const { database } = open(t, connection, 1_000)
  const locker = new pg.Client(connection)
  await locker.connect()
  defer(t, () => locker.end())
  await locker.query('CREATE TABLE things (n int)')
  await locker.query('BEGIN; LOCK TABLE things IN EXCLUSIVE MODE')
  const insert = statement('test.insert', 'INSERT INTO things VALUES (1)')
  const writes = await Promise.allSettled(Array.from({ length: 12 }, () => database.query(insert)))
  for (const write of writes) {
    assert.ok(write.status === 'rejected')
    assert.equal(write.reason.code, 'unavailable')
  }
})
