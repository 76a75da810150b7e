// The guarantees of the embedded database on an ordinary day: starting, reopening, refusing.
import assert from 'node:assert/strict'
import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import {
  DataFolderInUse,
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded.ts'
import {
  eventually,
  serverProcesses,
  spawnService,
  folderWithDatabase,
  temporaryFolder,
} from '../../support/embedded.ts'

async function start(t: TestContext, dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} })
  t.after(() => postgres.stop())
  return postgres
}

async function ask(connection: EmbeddedPostgres['connection'], sql: string): Promise<unknown[]> {
  const client = new Client(connection)
  await client.connect()
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

test('a fresh folder becomes a database that syncs, speaks UTF-8 and has no TCP port', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'new', 'data')
  const postgres = await start(t, dataDir)
  const setting = async (name: string) => (await ask(postgres.connection, `SHOW ${name}`))[0]
  assert.match(String(await setting('server_version')), /^18\./)
  assert.equal(await setting('fsync'), 'on')
  assert.equal(await setting('full_page_writes'), 'on')
  assert.equal(await setting('synchronous_commit'), 'on')
  assert.equal(await setting('server_encoding'), 'UTF8')
  assert.equal(await setting('listen_addresses'), '')
  assert.equal(await setting('TimeZone'), 'UTC')
  const [who, isSuperuser, database] = await ask(
    postgres.connection,
    'SELECT rolname, rolsuper, current_database() FROM pg_roles WHERE rolname = current_user',
  )
  assert.deepEqual([who, isSuperuser, database], ['mooring', false, 'mooring'])
  const modes = await Promise.all(
    [dataDir, join(dataDir, 'postgres')].map(async (path) => (await stat(path)).mode & 0o777),
  )
  assert.deepEqual(modes, [0o700, 0o700])
})

test('written rows are there after a restart', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const first = await start(t, dataDir)
  await ask(first.connection, "CREATE TABLE notes AS SELECT 'kept' AS note")
  await first.stop()
  assert.deepEqual(await first.exited, { code: 0 })
  assert.deepEqual(await serverProcesses(join(dataDir, 'postgres')), [])
  await first.stop()
  const second = await start(t, dataDir)
  assert.deepEqual(await ask(second.connection, 'SELECT note FROM notes'), ['kept'])
})

test('a data folder with a path too long for a socket works', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'long'.repeat(30), 'longer'.repeat(20))
  const postgres = await start(t, dataDir)
  assert.deepEqual(await ask(postgres.connection, 'SELECT 1'), [1])
  const found = await findEmbeddedPostgres(dataDir)
  assert.ok(found)
  assert.deepEqual(await ask(found, 'SELECT 2'), [2])
})

test('a second service on the same folder is refused at once, with the process that holds it', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const service = spawnService(t, dataDir)
  await service.line('ready')
  await assert.rejects(startEmbeddedPostgres({ dataDir, log: () => {} }), (error) => {
    assert.ok(error instanceof DataFolderInUse)
    assert.equal(error.holder?.pid, service.process.pid)
    assert.match(error.message, new RegExp(`in use by process ${service.process.pid} `))
    assert.match(error.message, /MOORING_DATA_DIR/)
    return true
  })
  const connection = await findEmbeddedPostgres(dataDir)
  assert.ok(connection)
  assert.deepEqual(await ask(connection, 'SELECT count(*)::int FROM numbers'), [0])
  await service.stop()
  assert.equal(await findEmbeddedPostgres(dataDir), undefined)
})

test('a second start in the same process is refused too', async (t) => {
  const dataDir = await folderWithDatabase(t)
  const postgres = await start(t, dataDir)
  await assert.rejects(startEmbeddedPostgres({ dataDir, log: () => {} }), DataFolderInUse)
  // Looking at the lock must not have loosened it.
  assert.ok(await findEmbeddedPostgres(dataDir))
  const other = spawnService(t, dataDir)
  assert.match(await other.line('failed'), new RegExp(`DataFolderInUse .*${process.pid}`))
  assert.deepEqual(await ask(postgres.connection, 'SELECT 1'), [1])
})

test('exactly one of many services that start at once on a fresh folder gets it', async (t) => {
  const dataDir = await temporaryFolder(t)
  const services = Array.from({ length: 4 }, () => spawnService(t, dataDir))
  const outcomes = await Promise.all(
    services.map((service) =>
      eventually('an outcome', () => service.lines.find((line) => /^(ready|failed)/.test(line))),
    ),
  )
  const refusals = outcomes.filter((line) => line.startsWith('failed DataFolderInUse'))
  assert.deepEqual([outcomes.filter((line) => line === 'ready').length, refusals.length], [1, 3])
})

test('a failed start shows the last output of the server, and releases the folder', async (t) => {
  const dataDir = await folderWithDatabase(t)
  await (await start(t, dataDir)).stop()
  const settings = join(dataDir, 'postgres', 'postgresql.conf')
  const good = await readFile(settings)
  await appendFile(settings, '\nno_such_setting = 1\n')
  await assert.rejects(startEmbeddedPostgres({ dataDir, log: () => {} }), {
    message: /the server ended with status 1[^]*unrecognized configuration parameter/,
  })
  await writeFile(settings, good)
  assert.deepEqual(await ask((await start(t, dataDir)).connection, 'SELECT 1'), [1])
})

test('a folder that is not ours to use is left alone', async (t) => {
  const dataDir = await temporaryFolder(t)
  const folder = join(dataDir, 'postgres')
  await mkdir(folder)
  await writeFile(join(folder, 'photo.jpg'), '')
  await assert.rejects(startEmbeddedPostgres({ dataDir, log: () => {} }), /not a Postgres data fo/)
  await writeFile(join(folder, 'PG_VERSION'), '17\n')
  await assert.rejects(startEmbeddedPostgres({ dataDir, log: () => {} }), /created by Postgres 17/)
  assert.equal((await stat(join(folder, 'photo.jpg'))).size, 0)
})

test('a stop ends open sessions and does not wait for them', async (t) => {
  const postgres = await start(t, await folderWithDatabase(t))
  const client = new Client(postgres.connection)
  const lost: Error[] = []
  client.on('error', (error) => lost.push(error))
  await client.connect()
  await client.query('BEGIN')
  await postgres.stop()
  assert.match(
    await eventually('the disconnection', () => lost[0]?.message),
    /terminating connection/,
  )
})
