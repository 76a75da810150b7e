/** Identities that anybody can make do not pile up, and none that is needed goes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireMoidSessions } from '../../../../src/features/mobile/identities/session.ts'
import { startApp } from '../../../support/app.ts'
import { newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'

test('two thousand abandoned sessions leave nothing behind', async (t) => {
  const app = await startApp(t)
  const { pool } = app.database
  await pool.query(`
    WITH made AS (INSERT INTO moids (id) SELECT gen_random_uuid() FROM generate_series(1, 2500)
                  RETURNING id)
    INSERT INTO moid_sessions (id, moid_id, salt, expires_at)
    SELECT gen_random_uuid(), id, '\\x00', now() FROM made`)
  const phone = await newPhone(app)
  await Promise.all([expireMoidSessions(app.database), expireMoidSessions(app.database)])
  await expireMoidSessions(app.database)
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM moids) AS moids,
            (SELECT count(*)::int FROM moid_sessions) AS sessions`,
  )
  assert.deepEqual(rows, [{ moids: 1, sessions: 1 }])
  assert.equal((await phone.call('GET', '/moid/me')).status, 200)
})

test('an identity whose session is over stays as long as a device is bound to it', async (t) => {
  const app = await startApp(t)
  const { pool } = app.database
  const phone = await newPhone(app)
  const device = await newDevice(app)
  await device.bind((await openClaim(app, phone)).code)
  await pool.query('UPDATE moid_sessions SET expires_at = now()')
  await expireMoidSessions(app.database)
  assert.equal((await pool.query('SELECT 1 FROM moids')).rows.length, 1)
  assert.equal((await device.call('GET', '/devices/auth/me')).body.claimed, true)
  await pool.query('DELETE FROM devices')
  // Nothing reports a claim that was deleted with its device: the identity is checked in its turn.
  await expireMoidSessions(app.database)
  assert.equal((await pool.query('SELECT 1 FROM moids')).rows.length, 1)
  await pool.query('UPDATE moids SET check_at = now()')
  await expireMoidSessions(app.database)
  assert.equal((await pool.query('SELECT 1 FROM moids')).rows.length, 0)
})

test('an ended session is kept for a month, and its replayed token stays refused', async (t) => {
  const app = await startApp(t)
  const { pool } = app.database
  const phone = await newPhone(app)
  await phone.call('DELETE', '/moid/session')
  await expireMoidSessions(app.database)
  assert.equal((await pool.query('SELECT 1 FROM moid_sessions')).rows.length, 1)
  await pool.query(`UPDATE moid_sessions SET ended_at = now() - interval '31 days'`)
  await expireMoidSessions(app.database)
  assert.equal((await pool.query('SELECT 1 FROM moids')).rows.length, 0)
  const body = { refresh_token: phone.refreshToken }
  const refused = await app.call('POST', '/moid/refresh', { body })
  assert.equal(refused.body.code, 'refresh_token_rejected')
})
