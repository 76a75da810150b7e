/** Types of statements are what Postgres says of them on the migrated schema. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import { statementTypes } from '../../generate/statement-types.ts'
import { sqlStatements } from '../../src/platform/database/sql.ts'
import { cloneDatabase } from '../support/database.ts'
import { ROOT } from '../support/sources.ts'

async function connected(t: TestContext): Promise<Client> {
  const client = new Client(await cloneDatabase(t))
  // The database is dropped while it is still connected.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The lines of a type that differ from those in the repository. */
async function differences(client: Client): Promise<string[]> {
  const written = new Set((await readFile(join(ROOT, 'statements.ts'), 'utf8')).split('\n'))
  return (await statementTypes(client)).split('\n').filter((line) => !written.has(line))
}

test('statements.ts is what Postgres says of every statement', async (t) => {
  const client = await connected(t)
  const made = await statementTypes(client)
  const written = await readFile(join(ROOT, 'statements.ts'), 'utf8')
  const stale = await differences(client)
  assert.equal(made === written, true, `run \`npm run generate\`; it would write: ${stale[0]}`)
})

test('a dropped column is found, with the statement that reads it', async (t) => {
  const client = await connected(t)
  await client.query('ALTER TABLE device_templates DROP COLUMN rotation_overlap_s')
  await assert.rejects(statementTypes(client), /device_templates\.\w+: column "rotation_overlap_s"/)
})

test('JSON that a statement returns without its schema is found', async (t) => {
  const client = await connected(t)
  await client.query('ALTER TABLE mqtt_tails ALTER filter TYPE jsonb USING to_jsonb(filter)')
  await assert.rejects(statementTypes(client), /mqtt_tails\.\w+ reads mqtt_tails\.filter without/)
})

test('JSON that a statement composes without a schema is found', async (t) => {
  const client = await connected(t)
  const whole = sqlStatements.get('ledger.by_key')
  assert.ok(whole)
  sqlStatements.set(whole.name, { ...whole, stored: new Map() })
  t.after(() => sqlStatements.set(whole.name, whole))
  await assert.rejects(statementTypes(client), /ledger\.by_key reads ledger\.lines without/)
})

test('a column of another type, or that may be null, is another row', async (t) => {
  const client = await connected(t)
  await client.query(
    `ALTER TABLE payment_methods ALTER exp_month TYPE text, ALTER provider DROP NOT NULL`,
  )
  const rows = await differences(client)
  assert.ok(rows.some((line) => /row: .*exp_month: string/.test(line)))
  assert.ok(rows.some((line) => /row: .*provider: string \| null/.test(line)))
  assert.ok(rows.some((line) => /params: .*expMonth: string/.test(line)))
})
