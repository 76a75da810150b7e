/** Rows of older builds after migrations, where a file does more than add. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { migrate } from '../../../src/platform/database/migrate.ts'
import { scratchDatabase } from '../../support/scratch-database.ts'

const files = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const quiet = () => {}

/** A folder of the files before a number. */
async function filesBefore(t: TestContext, number: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-test-'))
  t.after(() => rm(folder, { recursive: true }))
  const names = await readdir(files)
  const older = names.filter((name) => name < number || name === 'recorded.json')
  await Promise.all(older.map((name) => cp(join(files, name), join(folder, name))))
  return folder
}

test('a deleted workspace that has its last invoice has no other of that month', async (t) => {
  const { connect, ask } = await scratchDatabase(t)
  await migrate(connect, await filesBefore(t, '0032'), quiet)
  const client = await connect()
  t.after(() => client.end())
  // Deleted within a month that is invoiced, within one that is not yet, and not at all.
  await client.query(
    `INSERT INTO workspaces (id, name, slug, status, delete_requested_at)
     SELECT gen_random_uuid(), slug, slug, status, at::timestamptz
     FROM (VALUES ('issued', 'deleting', '2026-11-10Z'), ('draft', 'deleting', '2026-12-10Z'),
                  ('active', 'active', NULL)) AS v (slug, status, at)`,
  )
  await client.query(
    `INSERT INTO subscriptions (workspace_id, drafted_until) SELECT id, '2027-01-01Z' FROM workspaces`,
  )
  await client.query(
    `INSERT INTO invoices (workspace_id, id, status, period_start, period_end, currency, number,
                           content, subtotal, tax, total, balance_used, issued_at, due_at)
     SELECT id, gen_random_uuid(), 'open', '2026-11-01Z', '2026-12-01Z', 'EUR',
            row_number() OVER (), '{}', 1, 0, 1, 0, now(), now() FROM workspaces`,
  )
  await client.query(
    `INSERT INTO invoices (workspace_id, id, period_start, period_end, currency)
     SELECT id, gen_random_uuid(), '2026-12-01Z', '2027-01-01Z', 'EUR' FROM workspaces`,
  )
  await migrate(connect, files, quiet)
  const rows = await ask(
    `SELECT slug, billed_from::text FROM subscriptions s JOIN workspaces w ON w.id = s.workspace_id
     ORDER BY slug`,
  )
  assert.deepEqual(rows, [
    { slug: 'active', billed_from: null },
    { slug: 'draft', billed_from: null },
    { slug: 'issued', billed_from: 'infinity' },
  ])
})
