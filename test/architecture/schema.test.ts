/** The schema: written down as it is, and made so that it can be spread by workspace. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client, type QueryResultRow } from 'pg'
import { dumpSchema } from '../../generate/schema-dump.ts'
import { cloneDatabase } from '../support/database.ts'
import { ROOT } from '../support/sources.ts'

let client: Client
const closers: (() => unknown)[] = []

before(async () => {
  const connection = await cloneDatabase({
    after: (close) => void closers.push(close as () => unknown),
  })
  client = new Client(connection)
  await client.connect()
})
after(async () => {
  await client.end()
  for (const close of closers) await close()
})

async function rows<Row extends QueryResultRow>(sql: string): Promise<Row[]> {
  return (await client.query<Row>(sql)).rows
}

test('schema.sql is what the migrations make', async () => {
  const written = await readFile(join(ROOT, 'schema.sql'), 'utf8').catch(() => '')
  assert.equal(await dumpSchema(client), written, 'run `npm run generate` and read what changed')
})

/** Tables that name a workspace without belonging to one, and why. */
const VISITORS: Readonly<Record<string, string>> = {
  moid_sessions: 'A mobile identity belongs to no workspace; a session may be locked to one.',
}

const WORKSPACE_TABLES = `
  SELECT pg_class.oid, relname, attnum, attnotnull
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace AND nspname = 'public'
  JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'workspace_id' AND NOT attisdropped
  WHERE relkind IN ('r', 'p')`

test("unique keys of a workspace's rows begin with the workspace", async () => {
  const unled = await rows<{ relname: string }>(`
    SELECT relname FROM (${WORKSPACE_TABLES}) AS tables
    WHERE attnotnull AND NOT EXISTS (
      SELECT FROM pg_index
      WHERE indrelid = tables.oid AND indisunique AND indpred IS NULL AND indkey[0] = attnum)
    ORDER BY relname`)
  assert.deepEqual(unled, [])
})

test('a table that may name a workspace or not is known by name', async () => {
  const visitors = await rows<{ relname: string }>(
    `SELECT relname FROM (${WORKSPACE_TABLES}) AS tables WHERE NOT attnotnull ORDER BY relname`,
  )
  assert.deepEqual(
    visitors.map(({ relname }) => relname),
    Object.keys(VISITORS).sort(),
  )
})

test('rows of a workspace refer only to rows of the same workspace', async () => {
  const loose = await rows<{ conname: string }>(`
    WITH tables AS (SELECT * FROM (${WORKSPACE_TABLES}) AS found WHERE attnotnull)
    SELECT conname FROM pg_constraint
    JOIN tables AS referring ON referring.oid = conrelid
    JOIN tables AS referred ON referred.oid = confrelid
    WHERE contype = 'f' AND NOT EXISTS (
      SELECT FROM unnest(conkey, confkey) AS pair (here, there)
      WHERE here = referring.attnum AND there = referred.attnum)
    ORDER BY conname`)
  assert.deepEqual(loose, [])
})

test('the law examines the tables that hold data of customers', async () => {
  const tables = await rows<{ relname: string }>(WORKSPACE_TABLES)
  const names = new Set(tables.map(({ relname }) => relname))
  for (const name of ['api_keys', 'devices', 'device_templates', 'events', 'memberships']) {
    assert.ok(names.has(name), name)
  }
})
