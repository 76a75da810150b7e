/** A database that was copied out and in has the same rows, whatever they are. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { readBackup, type ToWrite, writeBackup } from '../../../src/platform/backup/backup-file.ts'
import { copyIn, copyOut, requireEmpty } from '../../../src/platform/backup/database-copy.ts'
import { dumpSchema } from '../../../generate/schema-dump.ts'
import { as, startApp } from '../../support/app.ts'
import { defer } from '../../support/cleanup.ts'
import { cloneDatabase } from '../../support/database.ts'
import { seedTenant } from '../../support/tenants.ts'

const about = { mooring: '0.0.0', master_keys: ['k'], started_at: '2026-01-01T00:00:00.000Z' }

async function connect(t: TestContext, to: pg.PoolConfig) {
  const client = new pg.Client(to)
  await client.connect()
  defer(t, () => client.end())
  return client
}

/** A digest of the rows of each table, the queue's among them, and the sequences. */
async function digests(client: pg.Client): Promise<Record<string, string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('public', 'graphile_worker')`,
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await client.query<{ digest: string }>(
      `SELECT count(*) || md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS digest
       FROM ${name} t`,
    )
    found[name] = rows[0]?.digest ?? ''
  }
  const { rows: sequences } = await client.query<{ name: string; last: string | null }>(
    'SELECT sequencename AS name, last_value AS last FROM pg_sequences',
  )
  for (const { name, last } of sequences) found[`sequence ${name}`] = last ?? 'unused'
  return found
}

async function restore(into: pg.Client, bytes: AsyncIterable<Buffer>): Promise<void> {
  const pieces = readBackup(bytes)
  const first = await pieces.next()
  assert.ok(first.done !== true && first.value.kind === 'header')
  await copyIn(into, first.value.header, pieces, () => Promise.resolve())
}

/** A database in which every kind of thing is, and nobody writes any more. */
async function filled(t: TestContext) {
  const app = await startApp(t)
  await seedTenant(app, app.seed)
  await app.call('POST', `/workspaces/${app.seed.id}/device-groups`, {
    as: as.user(app.seed.owner.token),
    body: { name: 'tab \t, line \n, backslash \\N and ünïcode' },
  })
  await app.close()
  return { client: await connect(t, app.connection), connection: app.connection }
}

test('a backup is of one moment, and makes the same database again', async (t) => {
  const { client: source, connection } = await filled(t)
  const before = await digests(source)
  assert.ok(Object.values(before).filter((each) => !each.startsWith('0')).length > 60)
  const writer = await connect(t, connection)
  async function* withWrites(): AsyncGenerator<ToWrite> {
    for await (const piece of copyOut(source, about)) {
      yield piece
      if (piece.kind !== 'rows') continue
      await writer.query("INSERT INTO installation VALUES (gen_random_uuid()::text, 'late')")
      await writer.query('DELETE FROM device_notes')
    }
  }
  const target = await connect(t, await cloneDatabase(t))
  const schema = await dumpSchema(target)
  await requireEmpty(target)
  await restore(target, writeBackup(withWrites(), Date.now))
  assert.deepEqual(await digests(target), before)
  // Foreign keys and triggers are there again.
  assert.equal(await dumpSchema(target), schema)
  await assert.rejects(requireEmpty(target), /There is an installation in the database already/)
})
