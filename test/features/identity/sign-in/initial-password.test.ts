/** A password that the service has made: good to choose another one, for two weeks. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createAccount } from '../../../../src/features/identity/accounts/account.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { logIn, me, PASSWORD, refresh, tally } from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()
const NEW = 'eleven grey umbrellas'

/** An owner of the seeded workspace with a password that the service has made. */
async function newcomer(app: TestApp): Promise<{ uuid: string; email: string }> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const account = { email, password: PASSWORD, name: 'New', isInitial: true }
  const { id: uuid } = await createAccount(app.services, account)
  await app.database.pool.query(
    `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'owner')`,
    [app.seed.uuid, uuid],
  )
  return { uuid, email }
}

const change = (app: TestApp, token: string, new_password = NEW): Promise<CallResult> =>
  app.call('POST', '/auth/password', {
    as: as.user(token),
    body: { current_password: PASSWORD, new_password },
  })

const workspaces = (app: TestApp, token: string): Promise<CallResult> =>
  app.call('GET', '/workspaces', { as: as.user(token) })

describe('an initial password', () => {
  test('opens a session in which only the password can be changed', async (t) => {
    const app = await freshTenants(t)
    const { email } = await newcomer(app)
    const { body: tokens } = await logIn(app, email, PASSWORD)
    assert.equal(tokens.password_change_required, true)
    const token = tokens.access_token as string
    for (const [method, path] of [
      ['GET', '/workspaces'],
      ['GET', `/workspaces/${app.seed.id}`],
      ['POST', `/workspaces/${app.seed.id}/api-keys`],
      ['DELETE', `/workspaces/${app.seed.id}`],
      ['POST', '/invitations/accept'],
    ] as const) {
      const refused = await app.call(method, path, { as: as.user(token) })
      assert.equal(refused.body.code, 'password_change_required', `${method} ${path}`)
      assert.equal(refused.status, 403)
      assert.match(refused.body.detail, /POST \/auth\/password/)
    }
    assert.equal((await me(app, token)).body.password_change_required, true)
    const renewed = await refresh(app, tokens.refresh_token)
    assert.equal(renewed.body.password_change_required, true)
    assert.equal((await workspaces(app, renewed.body.access_token)).status, 403)
  })

  test('once changed, the same tokens are valid for everything', async (t) => {
    const app = await freshTenants(t)
    const { email } = await newcomer(app)
    const { body: tokens } = await logIn(app, email, PASSWORD)
    const token = tokens.access_token as string
    const same = await change(app, token, PASSWORD)
    assert.deepEqual([same.status, same.body.errors[0].pointer], [400, '/new_password'])
    const results = await Promise.all(Array.from({ length: 10 }, () => change(app, token)))
    assert.equal(tally(results)[204], 1, JSON.stringify(tally(results)))
    assert.equal((await workspaces(app, token)).status, 200)
    assert.equal((await me(app, token)).body.password_change_required, false)
    const again = await logIn(app, email, NEW)
    assert.equal(again.body.password_change_required, undefined)
    assert.equal(
      (await refresh(app, tokens.refresh_token)).body.password_change_required,
      undefined,
    )
  })

  test('that was not changed in time is refused, and a wrong one gets the usual error', async (t) => {
    const app = await freshTenants(t)
    const { uuid, email } = await newcomer(app)
    await app.database.pool.query(
      `UPDATE users SET initial_password_until = initial_password_until - interval '14 days'
       WHERE id = $1`,
      [uuid],
    )
    const expired = await logIn(app, email, PASSWORD)
    assert.deepEqual([expired.status, expired.body.code], [401, 'initial_password_expired'])
    assert.match(expired.body.detail, /14 days/)
    const wrong = await logIn(app, email, 'not this one at all')
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_credentials'])
  })

  test('a password that was chosen, as by an earlier version, stays as it is', async (t) => {
    const app = await freshTenants(t)
    const { uuid, email } = await newcomer(app)
    await app.database.pool.query('UPDATE users SET initial_password_until = NULL WHERE id = $1', [
      uuid,
    ])
    const { body } = await logIn(app, email, PASSWORD)
    assert.equal(body.password_change_required, undefined)
    assert.equal((await workspaces(app, body.access_token)).status, 200)
  })
})
