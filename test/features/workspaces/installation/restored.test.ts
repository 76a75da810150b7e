/** The changes to a restored database, by the events that may have happened since its backup. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adjustRestored,
  type LostChanges,
} from '../../../../src/features/workspaces/installation/restored.ts'
import { startApp, type TestApp } from '../../../support/app.ts'

const BACKUP_AT = '2026-01-31T03:00:00.000Z'

/** Where the numbers are, and how many sessions are open. */
async function readState({ database: { pool }, seed }: TestApp) {
  const { rows } = await pool.query(
    `SELECT (SELECT last::int FROM invoice_numbers) AS invoice,
       (SELECT next::int FROM template_serials WHERE template_id = $1) AS serial,
       (SELECT last_value::int FROM events_seq) AS event,
       (SELECT count(*)::int FROM user_sessions WHERE ended_at IS NULL) AS people,
       (SELECT count(*)::int FROM moid_sessions WHERE ended_at IS NULL) AS phones`,
    [seed.template.uuid],
  )
  return rows[0] as Record<'invoice' | 'serial' | 'event' | 'people' | 'phones', number>
}

const restore = ({ database }: TestApp, lost: LostChanges | undefined): Promise<void> =>
  database.transaction((trx) => adjustRestored(trx, BACKUP_AT, lost))

test('numbers are skipped and sessions end as was decided, and the audit log has the decision', async (t) => {
  const app = await startApp(t)
  const { pool } = app.database
  assert.equal((await app.call('POST', '/moid/session')).status, 201)
  await pool.query('UPDATE invoice_numbers SET last = 41')
  await pool.query(
    'INSERT INTO template_serials (workspace_id, template_id, next) VALUES ($1, $2, 17)',
    [app.seed.uuid, app.seed.template.uuid],
  )
  const before = await readState(app)
  assert.ok(before.people > 0)
  assert.equal(before.phones, 1)

  await restore(app, undefined)
  assert.deepEqual(await readState(app), before, 'nothing changes if nothing was lost')

  await restore(app, { serials: 500, invoices: 7, endSessions: 'people' })
  const after = await readState(app)
  assert.deepEqual([after.invoice, after.serial], [48, 517])
  assert.ok(after.event >= before.event + 1_000_000)
  assert.deepEqual([after.people, after.phones], [0, 1])

  await restore(app, { serials: 0, invoices: 0, endSessions: 'all' })
  const last = await readState(app)
  assert.deepEqual([last.invoice, last.serial, last.phones], [48, 517, 0])

  const { rows } = await pool.query(
    "SELECT detail FROM audit_log WHERE action = 'backup.restored' ORDER BY id",
  )
  const lost = rows.map(({ detail }) => [detail.backup_at, detail.lost])
  assert.deepEqual(lost, [
    [BACKUP_AT, null],
    [BACKUP_AT, { serials: 500, invoices: 7, endSessions: 'people' }],
    [BACKUP_AT, { serials: 0, invoices: 0, endSessions: 'all' }],
  ])
})
