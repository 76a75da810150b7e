// The guarantees of the migration runner: each file once, whole, in order, and never behind the
// back of another process or of a changed file.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  MigrationFailed,
  MigrationRefused,
  migrate,
  pendingMigrations,
} from '../../../src/platform/database/migrate.ts'
import { readMigrations } from '../../../src/platform/database/migration-files.ts'
import { dumpSchema } from '../../../generate/schema-dump.ts'
import { type ScratchDatabase, scratchDatabase } from '../../support/scratch-database.ts'

const quiet = () => {}

async function folderWith(t: TestContext, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

async function tableNames(database: ScratchDatabase): Promise<string[]> {
  const rows = await database.ask<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  )
  return rows.map(({ name }) => name)
}

const pendingFiles = async ({ connect }: ScratchDatabase, folder: string): Promise<string[]> =>
  (await pendingMigrations(connect, folder)).map(({ file }) => file)

test('files are applied in order, once, and recorded with their checksum', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, {
    '0002-rows.sql': "INSERT INTO notes VALUES ('a;b'); INSERT INTO notes VALUES ($$c;$$)",
    '0001-notes.sql': 'CREATE TABLE notes (note text);',
    'README.md': 'not a migration',
  })
  assert.deepEqual(await pendingFiles(database, folder), ['0001-notes.sql', '0002-rows.sql'])
  assert.deepEqual(await tableNames(database), [])
  const first = await migrate(database.connect, pathToFileURL(folder), quiet)
  assert.deepEqual(first, { applied: ['0001-notes.sql', '0002-rows.sql'] })
  assert.deepEqual(await migrate(database.connect, folder, quiet), { applied: [] })
  assert.deepEqual(await pendingFiles(database, folder), [])
  assert.deepEqual(await database.ask('SELECT note FROM notes'), [{ note: 'a;b' }, { note: 'c;' }])
  assert.deepEqual(
    await database.ask(
      'SELECT number, name, length(checksum) AS bytes, applied_at <= now() AS past FROM schema_migrations ORDER BY number',
    ),
    [
      { number: 1, name: 'notes', bytes: 64, past: true },
      { number: 2, name: 'rows', bytes: 64, past: true },
    ],
  )
})

test('three migrators at once apply each file once, indexes built concurrently too', async (t) => {
  const database = await scratchDatabase(t)
  const files: Record<string, string> = { '0001-t.sql': 'CREATE TABLE t (n int)' }
  for (let n = 2; n <= 20; n += 1) {
    const number = String(n).padStart(4, '0')
    files[`${number}-step.sql`] =
      n % 5 === 0
        ? `-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS i${n};\nCREATE INDEX CONCURRENTLY i${n} ON t (n);`
        : `INSERT INTO t VALUES (${n});`
  }
  const folder = await folderWith(t, files)
  const results = await Promise.all([1, 2, 3].map(() => migrate(database.connect, folder, quiet)))
  const applied = results.flatMap((result) => result.applied)
  assert.deepEqual(applied.sort(), Object.keys(files).sort())
  const rows = await database.ask<{ n: number }>('SELECT n FROM t ORDER BY n')
  assert.deepEqual(
    rows.map(({ n }) => n),
    [2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19],
  )
  const [indexes] = await database.ask(
    "SELECT count(*)::int AS count, bool_and(indisvalid) AS valid FROM pg_index WHERE indrelid = 't'::regclass",
  )
  assert.deepEqual(indexes, { count: 4, valid: true })
})

test('a failing file leaves nothing behind, and is named with line, column and reason', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, {
    '0001-good.sql': 'CREATE TABLE good (n int);',
    '0002-bad.sql':
      "CREATE TABLE bad (n int);\n\nINSERT INTO bad\n  SELECT 'ä😀', wrong FROM good;\n",
    '0003-later.sql': 'CREATE TABLE later (n int);',
  })
  await assert.rejects(migrate(database.connect, folder, quiet), (error) => {
    assert.ok(error instanceof MigrationFailed)
    assert.match(error.message, /0002-bad\.sql failed at line 4, column 17: .*"wrong".*\(42703\)/)
    return true
  })
  assert.deepEqual(await tableNames(database), ['good', 'schema_migrations'])
  await writeFile(join(folder, '0002-bad.sql'), 'CREATE TABLE bad (n int);')
  const { applied } = await migrate(database.connect, folder, quiet)
  assert.deepEqual(applied, ['0002-bad.sql', '0003-later.sql'])
})

test('a failure inside a statement names the line where the statement starts', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, {
    '0001-twice.sql':
      '-- a comment; with a semicolon\nCREATE TABLE t (n int PRIMARY KEY);\nINSERT INTO t VALUES (1);\n/* x; */\nINSERT INTO t\nVALUES (1);',
  })
  await assert.rejects(
    migrate(database.connect, folder, quiet),
    /failed at line 5: duplicate key .*\n {2}Key \(n\)=\(1\) already exists/,
  )
})

test('a file outside a transaction that failed half-way is run again from its start', async (t) => {
  const database = await scratchDatabase(t)
  await database.ask("CREATE TABLE t AS SELECT 'same' AS n FROM generate_series(1, 2)")
  const folder = await folderWith(t, {
    '0001-unique.sql':
      '-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS one;\nCREATE UNIQUE INDEX CONCURRENTLY one ON t (n);',
  })
  await assert.rejects(
    migrate(database.connect, folder, quiet),
    /failed at line 3: could not create/,
  )
  assert.deepEqual(await pendingFiles(database, folder), ['0001-unique.sql'])
  await database.ask('DELETE FROM t WHERE ctid = (SELECT min(ctid) FROM t)')
  await migrate(database.connect, folder, quiet)
  assert.deepEqual(
    await database.ask("SELECT indisvalid FROM pg_index WHERE indrelid = 't'::regclass"),
    [{ indisvalid: true }],
  )
})

test('a file that was changed, renamed or removed after it was applied is refused', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, { '0001-a.sql': 'SELECT 1;', '0002-b.sql': 'SELECT 2;\n' })
  const refused = (pattern: RegExp) =>
    assert.rejects(migrate(database.connect, folder, quiet), (error) => {
      assert.ok(error instanceof MigrationRefused)
      assert.match(error.message, pattern)
      return true
    })
  await migrate(database.connect, folder, quiet)
  await writeFile(join(folder, '0002-b.sql'), 'SELECT 3;\n')
  await refused(/0002-b\.sql was changed after it was applied/)
  await assert.rejects(pendingMigrations(database.connect, folder), MigrationRefused)
  await writeFile(join(folder, '0002-b.sql'), 'SELECT 2;\r\n')
  assert.deepEqual(await migrate(database.connect, folder, quiet), { applied: [] })
  await rename(join(folder, '0001-a.sql'), join(folder, '0001-c.sql'))
  await refused(/0001-a was applied .* now called 0001-c\.sql/)
  await rm(join(folder, '0001-c.sql'))
  await refused(/0001-a was applied .* missing/)
})

test('comments of an applied file can be edited, but not its statements and marks', async (t) => {
  const database = await scratchDatabase(t)
  const text =
    '-- compatible\n-- A table of nots.\nCREATE TABLE notes (\n  -- A txt.\n  note text);\n'
  const folder = await folderWith(t, { '0001-notes.sql': text })
  await migrate(database.connect, folder, quiet)
  const write = (edited: string) => writeFile(join(folder, '0001-notes.sql'), edited)
  await write(text.replace('nots', 'notes').replace('  -- A txt.\n', '') + '-- The end.\n')
  assert.deepEqual(await migrate(database.connect, folder, quiet), { applied: [] })
  for (const edited of [text.replace('-- compatible\n', ''), text.replace('note text', 'n text')]) {
    await write(edited)
    await assert.rejects(migrate(database.connect, folder, quiet), MigrationRefused)
  }
})

test('a database that recorded the checksum of a whole text knows the file', async (t) => {
  const database = await scratchDatabase(t)
  const text = '-- A table of nots.\nCREATE TABLE notes (note text);\n'
  const folder = await folderWith(t, { '0001-notes.sql': text })
  await migrate(database.connect, folder, quiet)
  const recorded = createHash('sha256').update(text).digest('hex')
  await database.ask(`UPDATE schema_migrations SET checksum = '${recorded}'`)
  await assert.rejects(migrate(database.connect, folder, quiet), MigrationRefused)
  const [migration] = await readMigrations(folder)
  const first = { statements: migration?.checksum, recorded }
  await writeFile(join(folder, 'recorded.json'), JSON.stringify({ '0001-notes.sql': first }))
  await writeFile(join(folder, '0001-notes.sql'), text.replace('nots', 'notes'))
  assert.deepEqual(await migrate(database.connect, folder, quiet), { applied: [] })
  await writeFile(join(folder, '0001-notes.sql'), text.replace('note text', 'n text'))
  await assert.rejects(migrate(database.connect, folder, quiet), MigrationRefused)
})

test('a database of a newer build is refused, unless the newer files are marked', async (t) => {
  const database = await scratchDatabase(t)
  const older = { '0001-a.sql': 'SELECT 1;' }
  const newer = await folderWith(t, {
    ...older,
    '0002-b.sql': '-- compatible\nSELECT 2;',
    '0003-c.sql': '-- no-transaction\n-- compatible\nSELECT 3;',
  })
  const current = await folderWith(t, older)
  await migrate(database.connect, newer, quiet)
  const lines: string[] = []
  await migrate(database.connect, current, (line) => lines.push(line))
  assert.deepEqual(lines, ['the database has later migrations of a newer build: 0002-b, 0003-c'])
  await writeFile(join(newer, '0004-d.sql'), 'SELECT 4;')
  await migrate(database.connect, newer, quiet)
  await assert.rejects(
    migrate(database.connect, current, quiet),
    /upgraded by a newer build.* 0004-d\. Run the newer build/,
  )
})

test('a file with a number below the last applied one is refused', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, { '0001-a.sql': 'SELECT 1;', '0003-c.sql': 'SELECT 3;' })
  await migrate(database.connect, folder, quiet)
  await writeFile(join(folder, '0002-b.sql'), 'CREATE TABLE b (n int);')
  await assert.rejects(migrate(database.connect, folder, quiet), /0002-b\.sql has a lower number/)
  assert.deepEqual(await tableNames(database), ['schema_migrations'])
})

test('a file name that does not fit, or a number used twice, is refused', async (t) => {
  const database = await scratchDatabase(t)
  const unnamed = await folderWith(t, { '1-a.sql': 'SELECT 1;' })
  await assert.rejects(migrate(database.connect, unnamed, quiet), /1-a\.sql must be named NNNN-/)
  const twice = await folderWith(t, { '0001-a.sql': 'SELECT 1;', '0001-b.sql': 'SELECT 1;' })
  await assert.rejects(migrate(database.connect, twice, quiet), /0001-a\.sql and 0001-b\.sql have/)
})

test('a file that ends its own transaction is found out', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, { '0001-a.sql': 'CREATE TABLE a (n int); COMMIT; BEGIN;' })
  await assert.rejects(migrate(database.connect, folder, quiet), /0001-a\.sql ended its own/)
  await writeFile(join(folder, '0001-a.sql'), 'CREATE TABLE b (n int); ROLLBACK;')
  await assert.rejects(migrate(database.connect, folder, quiet), /0001-a\.sql ended its own/)
  assert.deepEqual(await database.ask('SELECT * FROM schema_migrations'), [])
})

test('settings of one file do not reach into the next', async (t) => {
  const database = await scratchDatabase(t)
  const folder = await folderWith(t, {
    '0001-a.sql': "CREATE SCHEMA other; SET search_path = other; SET statement_timeout = '1ms';",
    '0002-b.sql': 'SELECT pg_sleep(0.05); CREATE TABLE b (n int);',
  })
  await migrate(database.connect, folder, quiet)
  assert.deepEqual(await tableNames(database), ['b', 'schema_migrations'])
})

test('an empty database gets the same at once as file by file', async (t) => {
  const [together, apart] = [await scratchDatabase(t), await scratchDatabase(t)]
  const real = new URL('../../../migrations/', import.meta.url)
  const said: string[] = []
  await migrate(together.connect, real, (line) => said.push(line))
  // Only all files are applied together.
  await migrate(apart.connect, real, quiet, undefined, 1)
  await migrate(apart.connect, real, quiet)
  assert.match(said.join('\n'), /^applied \d+ migrations in \d+ ms$/)
  const [one, other] = [await contentsOf(together), await contentsOf(apart)]
  assert.equal(one.schema, other.schema)
  assert.deepEqual(one.rows, other.rows)
  assert.ok(
    one.rows.some(({ name, rows }) => name === 'schema_migrations' && rows.includes('accounts')),
  )
})

/** The schema, and all rows without the times at which they were written. */
async function contentsOf(database: ScratchDatabase) {
  const client = await database.connect()
  try {
    const schema = await dumpSchema(client)
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    )
    const rows = []
    for (const { name } of tables) {
      const text = `SELECT coalesce(string_agg(t::text, ' ' ORDER BY t::text), '') AS rows FROM ${name} t`
      const found = (await client.query<{ rows: string }>(text)).rows[0]?.rows ?? ''
      rows.push({ name, rows: found.replaceAll(/"?\d{4}-\d\d-\d\d \d\d:\d\d:[\d.+]+"?/g, 'time') })
    }
    return { schema, rows }
  } finally {
    await client.end()
  }
}
