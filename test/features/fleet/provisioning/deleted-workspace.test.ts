/** Registrations that are in flight while their workspace is deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { until } from '../../../support/until.ts'

// By their text, since a background task may wait for the workspace as well.
const blocked = unnamed(
  `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
     AND query LIKE $1`,
)
const isFree = unnamed('SELECT FROM workspaces WHERE slug = $1 FOR NO KEY UPDATE SKIP LOCKED')

const register = ({ call, seed }: TestApp, hardware_id: string) =>
  call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id, hardware_id },
  })

test('registrations in flight get the refusal of their deleted workspace', async (t) => {
  const app = await startApp(t)
  assert.equal((await register(app, 'warm')).status, 201)
  const holder = new pg.Client(app.connection)
  await holder.connect()
  defer(t, () => holder.end())
  const waits = async (query: string): Promise<boolean> =>
    (await app.database.query(blocked, [query])).length > 0
  // Stops the deletion after it has locked the workspace. If both waited for the row, a third
  // transaction that shares its lock would let the registrations pass the deletion.
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE changes IN SHARE MODE')
  const deletion = app.call('DELETE', `/workspaces/${app.seed.id}`, {
    as: as.user(app.seed.owner.token),
    body: { confirm: app.seed.slug },
  })
  await until('the deletion waits', () => waits('%INSERT INTO changes%'))
  assert.deepEqual(await app.database.query(isFree, [app.seed.slug]), [])
  const registrations = Array.from({ length: 8 }, (_, index) => register(app, `late-${index}`))
  await until('registrations wait', () => waits('%INSERT INTO devices%'))
  await holder.query('COMMIT')
  assert.equal((await deletion).status, 202)
  for (const { status, body } of await Promise.all(registrations)) {
    assert.deepEqual([status, body.code, body.detail].slice(0, 2), [401, 'credential_rejected'])
  }
})
