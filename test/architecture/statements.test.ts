/** Types of statements are what Postgres says of them on the migrated schema. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Client } from 'pg'
import Type from 'typebox'
import { columnTypes } from '../../generate/column-types.ts'
import { statementTypes } from '../../generate/statement-types.ts'
import { Firmware } from '../../src/features/common/firmware-shape.ts'
import { OwnRules } from '../../src/features/common/topic-rule.ts'
import { sqlStatements } from '../../src/platform/database/sql.ts'
import type { StoredSchema } from '../../src/platform/lib/stored-json.ts'
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

/** Gives a column of a statement another schema while the test lasts. */
function replaceSchema(t: TestContext, name: string, column: string, schema?: StoredSchema): void {
  const whole = sqlStatements.get(name)
  assert.ok(whole)
  assert.ok(whole.stored.has(column))
  const stored = new Map(whole.stored)
  if (schema === undefined) stored.delete(column)
  else stored.set(column, schema)
  sqlStatements.set(name, { ...whole, stored })
  t.after(() => sqlStatements.set(name, whole))
}

test('JSON that a statement composes without a schema is found', async (t) => {
  replaceSchema(t, 'ledger.by_key', 'lines')
  const client = await connected(t)
  await assert.rejects(statementTypes(client), /ledger\.by_key reads ledger\.lines without/)
})

test('the type of JSON is that of the schema which reads it', async (t) => {
  replaceSchema(t, 'ledger.by_key', 'lines', OwnRules)
  replaceSchema(t, 'device_template_versions.by_version', 'fields', Firmware)
  const rows = (await differences(await connected(t))).filter((line) => / row: /.test(line))
  assert.equal(rows.length, 2)
  assert.ok(rows.some((line) => /row: .*lines: Static<typeof OwnRules>/.test(line)))
  assert.ok(rows.some((line) => /row: .*fields: Static<typeof Firmware>/.test(line)))
})

test('a schema whose type has no name is found', async (t) => {
  replaceSchema(t, 'ledger.by_key', 'lines', Type.Array(Type.String()))
  const client = await connected(t)
  await assert.rejects(
    statementTypes(client),
    /ledger\.by_key: the schema of lines is not exported/,
  )
})

test('JSON as people have sent it has no schema', async (t) => {
  const whole = sqlStatements.get('device_states.write')
  assert.ok(whole)
  sqlStatements.set(whole.name, { ...whole, stored: new Map([['state', Firmware]]) })
  t.after(() => sqlStatements.set(whole.name, whole))
  const client = await connected(t)
  await assert.rejects(statementTypes(client), /device_states\.state with a schema: it is as sent/)
})

test('a column that is named, but that no statement reads as text, is found', async (t) => {
  const named = columnTypes as Record<string, unknown>
  // The second one is JSON, whose type follows from its schema.
  for (const place of ['devices.gone', 'device_templates.mqtt_acl']) {
    named[place] = 'string'
    t.after(() => delete named[place])
  }
  const client = await connected(t)
  await assert.rejects(
    statementTypes(client),
    /no statement reads devices\.gone, device_templates\.mqtt_acl/,
  )
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
