/** A session ends 90 days after it was opened, however often it is refreshed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS } from '../../../../src/platform/lib/time.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { me, person, refresh, signIn } from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

/** Signs in, as if some days ago, with a refresh since. */
async function signedIn(app: TestApp, days: number) {
  const someone = await person(app)
  const tokens = await signIn(app, someone)
  await app.database.pool.query(
    `UPDATE user_sessions SET created_at = now() - make_interval(days => $2) WHERE user_id = $1`,
    [someone.uuid, days],
  )
  return tokens
}

describe('a session that is refreshed again and again', () => {
  test('is listed with its absolute end once that comes first', async (t) => {
    const app = await freshTenants(t)
    const { refresh_token: token } = await signedIn(app, 80)
    const { body } = await refresh(app, token)
    const list = await app.call('GET', '/auth/sessions', { as: as.user(body.access_token) })
    const [session] = list.body.items as { created_at: string; expires_at: string }[]
    assert.ok(session)
    assert.equal(Date.parse(session.expires_at) - Date.parse(session.created_at), 90 * DAY_MS)
  })

  test('is over after 90 days: no refresh, no request', async (t) => {
    const app = await freshTenants(t)
    const tokens = await signedIn(app, 90)
    const refused = await refresh(app, tokens.refresh_token)
    assert.deepEqual([refused.status, refused.body.code], [401, 'refresh_token_rejected'])
    assert.equal((await me(app, tokens.access_token)).body.code, 'credential_rejected')
  })

  test('lives 30 days more with each refresh until then', async (t) => {
    const app = await freshTenants(t)
    const { refresh_token: token } = await signedIn(app, 40)
    const { body } = await refresh(app, token)
    const list = await app.call('GET', '/auth/sessions', { as: as.user(body.access_token) })
    const [session] = list.body.items as { refreshed_at: string; expires_at: string }[]
    assert.ok(session)
    const days = (Date.parse(session.expires_at) - Date.parse(session.refreshed_at)) / DAY_MS
    assert.equal(Math.round(days), 30)
  })
})
