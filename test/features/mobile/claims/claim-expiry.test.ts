/** Expired claims: each has one event, is kept for a month, and is then deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireClaims } from '../../../../src/features/mobile/claims/claim-expiry.ts'
import { startApp } from '../../../support/app.ts'
import { newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'
import { until } from '../../../support/until.ts'

const makeClaims = `INSERT INTO claims (workspace_id, id, shown_by, moid_id, code_hash, expires_at)
  SELECT $1, gen_random_uuid(), 'phone', m.id, int4send(n), now() - interval '1 minute'
  FROM moids m, generate_series(1, 250) AS n`

test('each late claim gets one event, however many processes check', async (t) => {
  const app = await startApp(t)
  const phone = await newPhone(app)
  const open = await openClaim(app, phone)
  const { pool } = app.database
  await pool.query(makeClaims, [app.seed.uuid])
  await Promise.all([1, 2, 3].map(() => expireClaims(app.database)))
  // The service may be at some of them by itself.
  const received = await until('each expiry has an event', async () => {
    const { rows } = await pool.query(
      `SELECT count(*)::int AS events, count(DISTINCT data->>'claim_id')::int AS claims
       FROM events WHERE type = 'claim.expired'`,
    )
    return rows[0].claims >= 250 && rows
  })
  assert.deepEqual(received, [{ events: 250, claims: 250 }])
  const left = await pool.query(
    `SELECT count(*) FILTER (WHERE ended_at <> expires_at)::int AS odd,
            count(*) FILTER (WHERE status = 'open')::int AS open FROM claims`,
  )
  assert.deepEqual(left.rows, [{ odd: 0, open: 1 }])
  assert.equal((await (await newDevice(app)).bind(open.code)).status, 200)
})

test('expired claims are deleted after 30 days; bindings are kept', async (t) => {
  const app = await startApp(t)
  const phone = await newPhone(app)
  const [bound, cancelled, recent] = [
    await openClaim(app, phone),
    await openClaim(app, phone),
    await openClaim(app, phone),
  ]
  const device = await newDevice(app)
  await device.bind(bound.code)
  for (const { id } of [cancelled, recent]) await phone.call('DELETE', `/moid/claims/${id}`)
  await app.database.pool.query(
    `UPDATE claims SET created_at = now() - interval '2 years',
       bound_at = bound_at - interval '2 years',
       ended_at = CASE WHEN id = $1 THEN now() - interval '31 days' ELSE ended_at END`,
    [cancelled.uuid],
  )
  await expireClaims(app.database)
  const ids = await until('the old claim is deleted', async () => {
    const { body } = await phone.call('GET', '/moid/claims')
    return body.items.length < 3 && body.items.map((item: { claim_id: string }) => item.claim_id)
  })
  assert.deepEqual(ids.sort(), [bound.id, recent.id].sort())
  assert.equal((await phone.call('GET', `/moid/devices/${device.id}`)).status, 200)
})
