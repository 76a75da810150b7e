/** The size of the audit log that the operator sees. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { createAuditLogSize } from '../../../../src/features/audit/log/audit-log-size.ts'
import { as, startApp } from '../../../support/app.ts'

test('the size of the log is the estimate of the database, which is exact after ANALYZE', async (t) => {
  const { app, call, seed } = await startApp(t)
  const made = await call('POST', `/workspaces/${seed.id}/api-keys`, {
    as: as.user(seed.owner.token),
    body: { key_kind: 'platform' },
  })
  assert.equal(made.status, 201)
  const size = createAuditLogSize(app.database)
  assert.deepEqual(size.last(), { entries: 0, bytes: 0 })
  await app.database.query(unnamed('ANALYZE audit_log'))
  await size.measure()
  const [counted] = await app.database.query<{ entries: number }>(
    unnamed('SELECT count(*)::float8 AS entries FROM audit_log'),
  )
  assert.ok(counted !== undefined && counted.entries > 0)
  assert.equal(size.last().entries, counted.entries)
  assert.ok(size.last().bytes > 0)
})
