/** Fresh proof: the limits of a stolen access token, and how its owner proves to be there. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import {
  codeOf,
  count,
  enrolled,
  logIn,
  me,
  movingClock,
  PASSWORD,
  type Person,
  person,
  refresh,
  signIn,
  STEP_MS,
  type Tokens,
  tally,
  verify,
  wrongCode,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const clock = movingClock()
const freshTenants = useTenants({ clock })

const ELEVEN_MINUTES = 660_000

const reauthenticate = (app: TestApp, token: string, body: unknown): Promise<CallResult> =>
  app.call('POST', '/auth/reauthenticate', { as: as.user(token), body })

function assertRefused(result: CallResult, status: number, code: string): void {
  assert.equal(result.body?.code, code, result.text)
  assert.equal(result.status, status, result.text)
}

const createKey = (app: TestApp, token: string, kind = 'platform'): Promise<CallResult> =>
  app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
    as: as.user(token),
    body: { key_kind: kind, name: 'Backend' },
  })

const beginTotp = (app: TestApp, token: string): Promise<CallResult> =>
  app.call('POST', '/auth/mfa/totp', { as: as.user(token) })

/** An owner of the seeded workspace, signed in with a password. */
async function owner(app: TestApp): Promise<{ someone: Person; tokens: Tokens }> {
  const someone = await person(app)
  await app.database.pool.query(
    `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'owner')`,
    [app.seed.uuid, someone.uuid],
  )
  return { someone, tokens: await signIn(app, someone) }
}

/** An owner with an authenticator, signed in with it. */
async function enrolledOwner(app: TestApp) {
  const someone = await enrolled(app, clock)
  await app.database.pool.query(
    `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'owner')`,
    [app.seed.uuid, someone.uuid],
  )
  const { body } = await logIn(app, someone.email)
  const done = await verify(app, body.mfa_token, codeOf(someone.secret, clock))
  assert.equal(done.status, 200, done.text)
  clock.move(STEP_MS)
  return { someone, tokens: done.body as Tokens }
}

describe('an access token older than ten minutes', () => {
  test('enrols no authenticator, makes no key, and changes no password', async (t) => {
    const app = await freshTenants(t)
    const { someone, tokens } = await owner(app)
    const stolen = tokens.access_token
    clock.move(ELEVEN_MINUTES)
    assert.equal((await me(app, stolen)).status, 200, 'the token is still accepted for reads')
    const refusals = [
      await beginTotp(app, stolen),
      await app.call('POST', '/auth/mfa/totp/confirm', {
        as: as.user(stolen),
        body: { code: '000000' },
      }),
      await createKey(app, stolen),
      await createKey(app, stolen, 'provision'),
      await app.call('POST', `/workspaces/${app.seed.id}/invitations`, {
        as: as.user(stolen),
        body: { email: 'eve@example.com', role: 'admin' },
      }),
      await app.call('DELETE', `/workspaces/${app.seed.id}`, {
        as: as.user(stolen),
        body: { confirm: app.seed.slug },
      }),
    ]
    for (const refused of refusals) {
      assertRefused(refused, 401, 'fresh_authentication_required')
      assert.equal(
        refused.headers['www-authenticate'],
        'Bearer realm="mooring", error="insufficient_user_authentication", max_age=600',
      )
      assert.match(refused.body.detail, /ten minutes/)
    }
    const changed = await app.call('POST', '/auth/password', {
      as: as.user(stolen),
      body: { current_password: 'guessed at random', new_password: 'of the thief, entirely' },
    })
    assertRefused(changed, 401, 'invalid_credentials')
    assert.equal((await logIn(app, someone.email)).status, 200)
  })

  test('is not upgraded when its owner proves the password or refreshes the session', async (t) => {
    const app = await freshTenants(t)
    const { tokens } = await owner(app)
    clock.move(ELEVEN_MINUTES)
    const renewed = await refresh(app, tokens.refresh_token)
    assertRefused(
      await beginTotp(app, renewed.body.access_token),
      401,
      'fresh_authentication_required',
    )
    const proven = await reauthenticate(app, renewed.body.access_token, { password: PASSWORD })
    assert.equal(proven.status, 200, proven.text)
    assertRefused(await beginTotp(app, tokens.access_token), 401, 'fresh_authentication_required')
    assert.equal((await beginTotp(app, proven.body.access_token)).status, 200)
  })

  test('still ends sessions and revokes keys, which must always be possible', async (t) => {
    const app = await freshTenants(t)
    const { tokens } = await owner(app)
    const { id } = (await createKey(app, tokens.access_token)).body
    clock.move(ELEVEN_MINUTES)
    const credential = { as: as.user(tokens.access_token) }
    const key = `/workspaces/${app.seed.id}/api-keys/${id}`
    assert.equal((await app.call('DELETE', key, credential)).status, 204)
    assert.equal((await app.call('POST', '/auth/logout', credential)).status, 204)
  })

  test('a platform key is no person, and is not asked', async (t) => {
    const app = await freshTenants(t)
    const made = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
      as: as.platformKey(app.seed.platformKey),
      body: { key_kind: 'provision', name: 'Line 1' },
    })
    assert.equal(made.status, 201, made.text)
  })

  test('a token issued by an earlier version does not say when, and is not fresh', async (t) => {
    const app = await freshTenants(t)
    const { tokens } = await owner(app)
    const [, payload = ''] = tokens.access_token.split('.')
    const { sub, sid } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const old = app.services.consoleTokens.sign({ sub, sid }, 900)
    assertRefused(await createKey(app, old), 401, 'fresh_authentication_required')
  })
})

describe('POST /auth/reauthenticate', () => {
  test('the password makes a session fresh for ten minutes, across refreshes', async (t) => {
    const app = await freshTenants(t)
    const { tokens } = await owner(app)
    clock.move(ELEVEN_MINUTES)
    const proven = await reauthenticate(app, tokens.access_token, { password: PASSWORD })
    assert.deepEqual(Object.keys(proven.body).toSorted(), [
      'access_token',
      'expires_in',
      'token_type',
    ])
    assert.equal((await createKey(app, proven.body.access_token)).status, 201)
    clock.move(ELEVEN_MINUTES / 2)
    const renewed = await refresh(app, tokens.refresh_token)
    assert.equal((await createKey(app, renewed.body.access_token)).status, 201)
    clock.move(ELEVEN_MINUTES / 2)
    const later = await createKey(app, renewed.body.access_token)
    assertRefused(later, 401, 'fresh_authentication_required')
  })

  test('with an authenticator it accepts a code, once, and no password', async (t) => {
    const app = await freshTenants(t)
    const { someone, tokens } = await enrolledOwner(app)
    clock.move(ELEVEN_MINUTES)
    clock.center()
    const token = tokens.access_token
    const byPassword = await reauthenticate(app, token, { password: PASSWORD })
    assertRefused(byPassword, 400, 'invalid_request')
    assert.equal(byPassword.body.errors[0].pointer, '/code')
    const wrong = await reauthenticate(app, token, { code: wrongCode(someone.secret, clock) })
    assertRefused(wrong, 401, 'mfa_code_rejected')
    const code = codeOf(someone.secret, clock)
    const results = await Promise.all(
      Array.from({ length: 50 }, () => reauthenticate(app, token, { code })),
    )
    assert.equal(tally(results)[200], 1)
    const proven = results.find(({ status }) => status === 200)
    assert.equal((await createKey(app, proven?.body.access_token)).status, 201)
    const byRecovery = await reauthenticate(app, token, { code: someone.recoveryCodes[0] })
    assert.equal(byRecovery.status, 200, byRecovery.text)
  })

  test('refuses a wrong password, both, none, and a code without an authenticator', async (t) => {
    const app = await freshTenants(t)
    const { tokens } = await owner(app)
    const send = (body: unknown) => reauthenticate(app, tokens.access_token, body)
    assertRefused(await send({ password: 'not this one at all' }), 401, 'invalid_credentials')
    assertRefused(await send({}), 400, 'invalid_request')
    assertRefused(await send({ password: PASSWORD, code: '123456' }), 400, 'invalid_request')
    assertRefused(await send({ code: '123456' }), 409, 'mfa_not_enrolled')
  })

  test('a wrong password counts as a failed attempt, and a right one clears the count', async (t) => {
    const app = await freshTenants(t)
    const { tokens } = await owner(app)
    const send = (password: string) => reauthenticate(app, tokens.access_token, { password })
    const tries = () => count(app, `failed_tries WHERE factor = 'source'`)
    const before = await tries()
    await send('not this one at all')
    assert.equal(await tries(), before + 1)
    assert.equal((await send(PASSWORD)).status, 200)
    assert.equal(await tries(), before)
  })

  test('is in the audit log', async (t) => {
    const app = await freshTenants(t)
    const { someone, tokens } = await owner(app)
    await reauthenticate(app, tokens.access_token, { password: PASSWORD })
    const entries = `audit_log WHERE action = 'session.reauthenticated' AND actor_id = $1`
    assert.equal(await count(app, entries, [someone.id]), 1)
  })
})
