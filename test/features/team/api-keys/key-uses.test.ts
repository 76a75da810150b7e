/** When keys were last used: written in batches, and not lost when a batch can't be written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyAuthentication } from '../../../../src/features/team/api-keys/api-key-authentication.ts'
import { startApp } from '../../../support/app.ts'

test('uses that could not be written are written the next time, the newest of each key', async (t) => {
  const app = await startApp(t)
  const { pool } = app.database
  const keys = createKeyAuthentication({ ...app.services, db: app.database })
  await keys.authenticate(app.seed.platformKey, '192.0.2.1')
  await keys.authenticate(app.seed.provisionKey, '192.0.2.1')
  await pool.query('ALTER TABLE api_keys RENAME TO gone')
  await assert.rejects(keys.flush(), { code: '42P01' })
  await pool.query('ALTER TABLE gone RENAME TO api_keys')
  await new Promise((resolve) => setTimeout(resolve, 5))
  await keys.authenticate(app.seed.platformKey, '192.0.2.2')
  await keys.flush()
  const { rows } = await pool.query<{ kind: string; last_used_ip: string | null }>(
    'SELECT kind, last_used_ip FROM api_keys WHERE workspace_id = $1 ORDER BY kind',
    [app.seed.uuid],
  )
  assert.deepEqual(rows, [
    { kind: 'platform', last_used_ip: '192.0.2.2' },
    { kind: 'provision', last_used_ip: '192.0.2.1' },
  ])
})
