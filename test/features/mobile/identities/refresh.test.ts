/** POST /moid/refresh: a lost response loses nothing, and a stolen token ends the session. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readChecked, encodeChecked } from '../../../../src/platform/lib/secrets.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { newPhone, statuses } from '../../../support/phones-and-devices.ts'
import { logIn, person } from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const refresh = (app: TestApp, token: unknown): Promise<CallResult> =>
  app.call('POST', '/moid/refresh', { body: { refresh_token: token } })

const me = (app: TestApp, token: string): Promise<CallResult> =>
  app.call('GET', '/moid/me', { as: as.phone(token) })

describe('POST /moid/refresh', () => {
  test('gives new tokens of the same session, and continues from each', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app, app.seed.id)
    let token = phone.refreshToken
    const seen = new Set([token])
    for (let step = 0; step < 5; step += 1) {
      const { status, body } = await refresh(app, token)
      assert.equal(status, 200)
      assert.deepEqual(
        { ...body, access_token: '', refresh_token: '' },
        {
          moid_id: phone.moidId,
          session_id: phone.sessionId,
          scope: 'workspace',
          workspace_id: app.seed.id,
          access_token: '',
          refresh_token: '',
          token_type: 'Bearer',
          expires_in: 900,
        },
      )
      assert.match(body.refresh_token, /^mrt_/)
      assert.equal((await me(app, body.access_token)).status, 200)
      token = body.refresh_token
      seen.add(token)
    }
    assert.equal(seen.size, 6)
    assert.equal((await me(app, phone.token)).status, 200)
  })

  test('a hundred refreshes of one token at once make one successor', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const phone = await newPhone(app)
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, at) => refresh(at % 2 ? app : sibling, phone.refreshToken)),
    )
    assert.deepEqual(statuses(responses), { 200: 100 })
    const successors = new Set(responses.map(({ body }) => body.refresh_token))
    assert.equal(successors.size, 1)
    assert.equal((await refresh(app, [...successors][0])).status, 200)
    const alarms = await app.database.pool.query(
      `SELECT 1 FROM audit_log WHERE action = 'session.reuse_detected'`,
    )
    assert.equal(alarms.rows.length, 0)
  })

  test('a phone that lost the response half a year ago continues', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const lost = await refresh(app, phone.refreshToken)
    await app.database.pool.query(
      `UPDATE moid_sessions SET rotated_at = now() - interval '179 days',
              expires_at = now() + interval '1 day'`,
    )
    const again = await refresh(app, phone.refreshToken)
    assert.equal(again.status, 200)
    assert.equal(again.body.refresh_token, lost.body.refresh_token)
    assert.equal((await refresh(app, again.body.refresh_token)).status, 200)
  })

  test('a token whose successor was used ends the session, on every process', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const phone = await newPhone(app, app.seed.id)
    assert.equal((await me(sibling, phone.token)).status, 200)
    const second = await refresh(app, phone.refreshToken)
    const third = await refresh(app, second.body.refresh_token)
    const replay = await refresh(sibling, phone.refreshToken)
    assert.deepEqual([replay.status, replay.body.code], [401, 'refresh_token_reused'])
    const dead = await refresh(app, third.body.refresh_token)
    assert.deepEqual([dead.status, dead.body.code], [401, 'refresh_token_rejected'])
    for (const token of [phone.token, second.body.access_token, third.body.access_token]) {
      assert.equal((await me(sibling, token)).status, 401)
    }
    const isRefused = async () => (await me(app, third.body.access_token)).status === 401
    await until('the other process refuses it', isRefused)
    const { rows } = await app.database.pool.query(
      `SELECT workspace_id, data FROM events WHERE type = 'session.reuse_detected'`,
    )
    assert.deepEqual(rows, [
      {
        workspace_id: app.seed.uuid,
        data: { moid_id: phone.moidId, session_id: phone.sessionId },
      },
    ])
  })

  test('takes no other token, and no other form of the token', async (t) => {
    const app = await freshTenants(t)
    const phone = await newPhone(app)
    const other = await newPhone(app)
    const someone = await person(app)
    const console = (await logIn(app, someone.email)).body
    const token = phone.refreshToken
    // The proof of one session's token behind the name of another, with a good checksum.
    const bytesOf = (text: string) => readChecked('mrt_', text, 52) as Buffer
    const forged = Buffer.concat([
      bytesOf(token).subarray(0, 20),
      bytesOf(other.refreshToken).subarray(20),
    ])
    const spliced = encodeChecked('mrt_', forged)
    const swapped = token.endsWith('A') ? 'B' : 'A'
    for (const bad of [
      console.refresh_token,
      console.access_token,
      phone.token,
      spliced,
      token.slice(0, -1) + swapped,
      ` ${token}`,
      token.toUpperCase(),
      'mrt_',
    ]) {
      const { status, body } = await refresh(app, bad)
      assert.deepEqual([status, body.code], [401, 'refresh_token_rejected'], bad)
    }
    const atConsole = await app.call('POST', '/auth/refresh', { body: { refresh_token: token } })
    assert.equal(atConsole.status, 401)
    assert.equal((await me(app, token)).status, 401)
    for (const shape of [undefined, null, 1, '', {}])
      assert.equal((await refresh(app, shape)).status, 400)
    assert.equal((await refresh(app, token)).status, 200)
  })

  test('is refused when the session is over', async (t) => {
    const app = await freshTenants(t)
    const expired = await newPhone(app)
    await app.database.pool.query(`UPDATE moid_sessions SET expires_at = now()`)
    assert.equal((await refresh(app, expired.refreshToken)).body.code, 'refresh_token_rejected')
    const ended = await newPhone(app)
    assert.equal((await ended.call('DELETE', '/moid/session')).status, 204)
    assert.equal((await refresh(app, ended.refreshToken)).body.code, 'refresh_token_rejected')
    assert.equal((await me(app, ended.token)).status, 401)
  })
})
