// The guarantees of the migration runner alongside others: long readers, a second migrator, kill
// -9.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MigrationFailed, migrate } from '../../../src/platform/database/migrate.ts'
import { eventually } from '../../support/embedded.ts'
import { type ScratchDatabase, scratchDatabase } from '../../support/scratch-database.ts'

const processPath = fileURLToPath(new URL('../../support/migrate-process.ts', import.meta.url))
const limits = { lockTimeout: 100, retryFor: 60_000, waitFor: 60_000 }
const quiet = () => {}
const WAITERS = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 4 AND NOT granted`

async function folderWith(t: TestContext, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

function spawnMigrator(t: TestContext, database: ScratchDatabase, folder: string) {
  const child = spawn(process.execPath, [processPath, JSON.stringify(database.config), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const closed = once(child, 'close')
  t.after(async () => {
    if (child.kill('SIGKILL')) await closed
  })
  return { child, closed, printed: () => printed }
}

test('a change of a table waits for a long reader without holding up other readers', async (t) => {
  const database = await scratchDatabase(t)
  await database.ask('CREATE TABLE t (n int)')
  const folder = await folderWith(t, { '0001-more.sql': 'ALTER TABLE t ADD COLUMN m int;' })
  const reader = await database.connect()
  await reader.query('BEGIN')
  await reader.query('SELECT * FROM t')
  const lines: string[] = []
  const migrating = migrate(database.connect, folder, (line) => lines.push(line), limits)
  await eventually('a second try', () => lines.length >= 2)
  assert.deepEqual(await database.ask('SELECT * FROM t'), [])
  assert.match(lines[0] ?? '', /0001-more\.sql waits for a lock/)
  await reader.query('COMMIT')
  await reader.end()
  assert.deepEqual(await migrating, { applied: ['0001-more.sql'] })
})

test('a change that finds its table locked for too long gives up, and can be run again', async (t) => {
  const database = await scratchDatabase(t)
  await database.ask('CREATE TABLE t (n int)')
  const folder = await folderWith(t, {
    '0001-more.sql': 'CREATE TABLE made (n int);\nALTER TABLE t ADD COLUMN m int;',
  })
  const reader = await database.connect()
  await reader.query('BEGIN')
  await reader.query('SELECT * FROM t')
  await assert.rejects(
    migrate(database.connect, folder, quiet, { ...limits, retryFor: 300 }),
    (error) => {
      assert.ok(error instanceof MigrationFailed)
      assert.match(error.message, /line 2: canceling statement due to lock timeout \(55P03\)/)
      return true
    },
  )
  assert.deepEqual(await database.ask("SELECT to_regclass('made') AS made"), [{ made: null }])
  await reader.end()
  assert.deepEqual((await migrate(database.connect, folder, quiet, limits)).applied.length, 1)
})

test('a migrator that waits too long for another says which session has the lock', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, { '0001-slow.sql': 'SELECT pg_sleep(60);' })
  const slow = spawnMigrator(t, database, folder)
  const pid = await eventually('the slow one at work', async () => {
    const rows = await database.ask<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60%' AND datname = current_database()",
    )
    return rows[0]?.pid
  })
  await assert.rejects(
    migrate(database.connect, folder, quiet, { ...limits, waitFor: 300 }),
    new RegExp(`Another process has been migrating .*Postgres process ${pid}\\)`),
  )
  slow.child.kill('SIGKILL')
  await slow.closed
  // Its session must not keep the lock for the rest of the minute it wanted to sleep.
  await writeFile(join(folder, '0001-slow.sql'), 'SELECT 1;')
  const { applied } = await migrate(database.connect, folder, quiet, { ...limits, waitFor: 30_000 })
  assert.deepEqual(applied, ['0001-slow.sql'])
})

test('migrators killed at any moment leave each file applied once or not at all', async (t) => {
  const database = await scratchDatabase(t)
  const files: Record<string, string> = { '0001-t.sql': 'CREATE TABLE trace (n int)' }
  for (let n = 2; n <= 16; n += 1) {
    const name = `${String(n).padStart(4, '0')}-step.sql`
    files[name] =
      n % 4 === 0
        ? `-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS i${n};\nCREATE INDEX CONCURRENTLY i${n} ON trace (n);`
        : `INSERT INTO trace VALUES (${n}); SELECT pg_advisory_xact_lock_shared(4, ${n}), pg_sleep(0.03); CREATE TABLE t${n} (n int);`
  }
  const folder = await folderWith(t, files)
  const holder = await database.connect()
  for (let round = 0; round < 12; round += 1) {
    // Two of them certainly die in the midst of a step: they wait there for a lock of the test's.
    const inAStep = [2, 10][round]
    if (inAStep) await holder.query('SELECT pg_advisory_lock(4, $1)', [inAStep])
    const migrator = spawnMigrator(t, database, folder)
    await (inAStep
      ? eventually('it is in a step', async () => (await database.ask(WAITERS)).length > 0)
      : eventually('its first step, or its end', () => /applied|done/.test(migrator.printed())))
    if (!inAStep) await sleep(Math.random() * 60)
    migrator.child.kill('SIGKILL')
    await migrator.closed
    assert.ok(!inAStep || !migrator.printed().includes('done'))
    if (inAStep) await holder.query('SELECT pg_advisory_unlock_all()')
  }
  await holder.end()
  await migrate(database.connect, folder, quiet, limits)
  const rows = await database.ask<{ n: number }>('SELECT n FROM trace ORDER BY n')
  assert.deepEqual(
    rows.map(({ n }) => n),
    [2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15],
  )
  const [records] = await database.ask('SELECT count(*)::int AS count FROM schema_migrations')
  assert.deepEqual(records, { count: 16 })
  const [indexes] = await database.ask(
    "SELECT count(*)::int AS count, bool_and(indisvalid) AS valid FROM pg_index WHERE indrelid = 'trace'::regclass",
  )
  assert.deepEqual(indexes, { count: 4, valid: true })
})
