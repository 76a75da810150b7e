/** A second factor that a workspace, or the installation, requires of everybody. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, type CallResult, startApp, type TestApp } from '../../../support/app.ts'
import {
  challenge,
  codeOf,
  enrolled,
  me,
  movingClock,
  person,
  type Person,
  signIn,
  STEP_MS,
  verify,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const clock = movingClock()
const freshTenants = useTenants({ clock })

async function join(app: TestApp, { uuid }: Person, role: string): Promise<void> {
  await app.database.pool.query(
    'INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, $3)',
    [app.seed.uuid, uuid, role],
  )
}

/** The token of a session opened with a second factor. */
async function verified(app: TestApp, someone: Person & { secret: string }): Promise<string> {
  clock.center()
  const done = await verify(app, await challenge(app, someone), codeOf(someone.secret, clock))
  assert.equal(done.status, 200, done.text)
  clock.move(STEP_MS)
  return done.body.access_token as string
}

async function securedOwner(app: TestApp) {
  const owner = await enrolled(app, clock)
  await join(app, owner, 'owner')
  return { owner, token: await verified(app, owner) }
}

const get = (app: TestApp, token: string, path = ''): Promise<CallResult> =>
  app.call('GET', `/workspaces/${app.seed.id}${path}`, { as: as.user(token) })

const require = (app: TestApp, token: string, mfa_required = true): Promise<CallResult> =>
  app.call('PATCH', `/workspaces/${app.seed.id}`, {
    as: as.user(token),
    body: { mfa_required },
  })

/** Enrols an authenticator in a session, and returns its secret. */
async function enrol(app: TestApp, token: string, more: object = {}): Promise<string> {
  const begun = await app.call('POST', '/auth/mfa/totp', { as: as.user(token) })
  assert.equal(begun.status, 200, begun.text)
  clock.center()
  const body = { code: codeOf(begun.body.secret, clock), ...more }
  const done = await app.call('POST', '/auth/mfa/totp/confirm', { as: as.user(token), body })
  assert.equal(done.status, 200, done.text)
  clock.move(STEP_MS)
  return begun.body.secret as string
}

function assertRequired(result: CallResult): void {
  assert.deepEqual([result.status, result.body.code], [403, 'mfa_required'], result.text)
  assert.match(result.body.detail, /POST \/auth\/mfa\/totp/)
}

describe('a workspace that requires a second factor', () => {
  test('refuses members without one at once, and accepts them after enrolment', async (t) => {
    const app = await freshTenants(t)
    const { token } = await securedOwner(app)
    const member = await person(app)
    await join(app, member, 'member')
    const { access_token: plain } = await signIn(app, member)
    assert.equal((await get(app, plain)).body.mfa_required, false)
    const required = await require(app, token)
    assert.deepEqual([required.status, required.body.mfa_required], [200, true], required.text)
    for (const path of ['', '/devices', '/members', '/api-keys']) {
      const refused = await get(app, plain, path)
      if (path === '/api-keys') assert.equal(refused.body.code, 'permission_denied')
      else assertRequired(refused)
    }
    assert.equal((await get(app, token)).status, 200)
    assert.equal((await me(app, plain)).status, 200)
    const keyed = await app.call('GET', `/workspaces/${app.seed.id}`, {
      as: as.platformKey(app.seed.platformKey),
    })
    assert.equal(keyed.status, 200, 'a platform key needs no second factor')
    await enrol(app, plain)
    assert.equal((await get(app, plain)).status, 200)
  })

  test('refuses an older session until it has proved a factor', async (t) => {
    const app = await freshTenants(t)
    const { token } = await securedOwner(app)
    const member = await person(app)
    await join(app, member, 'member')
    const { access_token: own } = await signIn(app, member)
    const { access_token: other } = await signIn(app, member)
    assert.equal((await require(app, token)).status, 200)
    const secret = await enrol(app, own, { end_other_sessions: false })
    assertRequired(await get(app, other))
    const proven = await app.call('POST', '/auth/reauthenticate', {
      as: as.user(other),
      body: { code: codeOf(secret, clock) },
    })
    assert.equal(proven.status, 200, proven.text)
    assert.equal((await get(app, other)).status, 200)
  })

  test('is out of reach while the authenticator is replaced, and back with the new one', async (t) => {
    const app = await freshTenants(t)
    const { owner, token } = await securedOwner(app)
    assert.equal((await require(app, token)).status, 200)
    clock.center()
    const removed = await app.call('DELETE', '/auth/mfa/totp', {
      as: as.user(token),
      body: { code: codeOf(owner.secret, clock) },
    })
    assert.equal(removed.status, 204, removed.text)
    assertRequired(await get(app, token))
    assertRequired(await require(app, token, false))
    clock.move(STEP_MS)
    await enrol(app, token)
    assert.equal((await get(app, token)).status, 200)
  })

  test('is set by an owner with a recently proved factor', async (t) => {
    const app = await freshTenants(t)
    const plain = await person(app)
    await join(app, plain, 'owner')
    assertRequired(await require(app, (await signIn(app, plain)).access_token))
    const admin = await enrolled(app, clock)
    await join(app, admin, 'admin')
    const byAdmin = await require(app, await verified(app, admin))
    assert.equal(byAdmin.body.code, 'permission_denied')
    const byKey = await app.call('PATCH', `/workspaces/${app.seed.id}`, {
      as: as.platformKey(app.seed.platformKey),
      body: { mfa_required: true },
    })
    assert.equal(byKey.body.code, 'permission_denied')
    const { token } = await securedOwner(app)
    clock.move(660_000)
    const late = await require(app, token)
    assert.deepEqual([late.status, late.body.code], [401, 'fresh_authentication_required'])
    assert.match(late.headers['www-authenticate'] ?? '', /insufficient_user_authentication/)
    const unchanged = await require(app, token, false)
    assert.equal(unchanged.status, 200, 'a request that changes nothing needs no proof')
  })

  test('can stop requiring it', async (t) => {
    const app = await freshTenants(t)
    const { token } = await securedOwner(app)
    const member = await person(app)
    await join(app, member, 'viewer')
    const { access_token: plain } = await signIn(app, member)
    assert.equal((await require(app, token)).status, 200)
    assertRequired(await get(app, plain))
    assert.equal((await require(app, token, false)).status, 200)
    assert.equal((await get(app, plain)).status, 200)
  })
})

describe('an installation that requires a second factor', () => {
  test('leaves people without one their own account, to enrol it', async (t) => {
    const app = await startApp(t, { clock, environment: { MOORING_MFA_REQUIRED: 'on' } })
    const someone = await person(app)
    await join(app, someone, 'owner')
    const { access_token: token } = await signIn(app, someone)
    assertRequired(await get(app, token))
    assertRequired(await app.call('GET', '/workspaces', { as: as.user(token) }))
    assert.equal((await me(app, token)).status, 200)
    await enrol(app, token)
    assert.equal((await get(app, token)).status, 200)
    assert.equal((await app.call('GET', '/workspaces', { as: as.user(token) })).status, 200)
  })
})
