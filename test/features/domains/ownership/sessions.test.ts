/** Sessions of people that are opened through a workspace's domain are valid for that one only. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { as, type CallResult, sameOrigin, type TestApp } from '../../../support/app.ts'
import { BASE_PATH, CONSOLE_BASE } from '../../../../src/platform/http/operation.ts'
import { useNamedTenants, verifiedDomain } from '../../../support/domains.ts'
import { mailedToken } from '../../../support/outbox.ts'
import { callHttps, type NamedCall, tlsEnvironment } from '../../../support/https.ts'
import {
  enrolled,
  type MovingClock,
  PASSWORD,
  type Person,
  person,
} from '../../../support/sign-in.ts'

/** The service's own, which recovery codes do not depend on. */
const clock: MovingClock = { now: () => Date.now(), move: () => {}, center: () => {} }
const { environment, ca } = tlsEnvironment()
const { tenants, nameServer } = useNamedTenants(environment)

interface Place extends TestApp {
  call: (method: string, path: string, options?: NamedCall) => Promise<CallResult>
  /** A domain of the first workspace. */
  host: string
}

async function start(t: TestContext): Promise<Place> {
  const app = await tenants(t)
  const call: Place['call'] = (method, path, options) =>
    callHttps(app.url + path, ca, method, options)
  const { name: host } = await verifiedDomain({ ...app, call }, nameServer(), app.seed, 'api')
  return { ...app, call, host }
}

/** Makes somebody a member of both workspaces of the seed. */
async function joinBoth({ database, seed }: Place, { uuid }: Person): Promise<void> {
  for (const workspace of [seed.uuid, seed.other.uuid]) {
    await database.pool.query(
      `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'owner')`,
      [workspace, uuid],
    )
  }
}

const logIn = ({ call }: Place, { email }: Person, at: NamedCall): Promise<CallResult> =>
  call('POST', '/auth/login', { body: { email, password: PASSWORD }, ...at })

const refresh = ({ call }: Place, token: string, at: NamedCall = {}): Promise<CallResult> =>
  call('POST', '/auth/refresh', { body: { refresh_token: token }, ...at })

const workspacesOf = async ({ call }: Place, token: string): Promise<string[]> => {
  const { status, body, text } = await call('GET', '/workspaces', { as: as.user(token) })
  assert.equal(status, 200, text)
  return body.items.map(({ id }: { id: string }) => id).toSorted()
}

const claimsOf = (token: string): { workspaces: Record<string, string> } =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

test('a session opened through a domain is valid for its workspace only, wherever it is used', async (t) => {
  const app = await start(t)
  const { seed, call, host } = app
  const somebody = await person(app)
  await joinBoth(app, somebody)
  const opened = await logIn(app, somebody, { host })
  assert.equal(opened.status, 200, opened.text)
  const refreshed = await refresh(app, opened.body.refresh_token, { host })
  const elsewhere = await refresh(app, refreshed.body.refresh_token)
  for (const { status, body, text } of [opened, refreshed, elsewhere]) {
    assert.equal(status, 200, text)
    assert.deepEqual(claimsOf(body.access_token).workspaces, { [seed.id]: 'owner' })
    assert.deepEqual(await workspacesOf(app, body.access_token), [seed.id])
    const credential = { as: as.user(body.access_token) }
    const hidden = await call('GET', `/workspaces/${seed.other.id}`, credential)
    assert.deepEqual([hidden.status, hidden.body.code], [404, 'workspace_not_found'])
    assert.equal((await call('GET', `/workspaces/${seed.id}`, credential)).status, 200)
  }
  const ordinary = await logIn(app, somebody, {})
  assert.equal((await workspacesOf(app, ordinary.body.access_token)).length, 2)
  const { body: sessions } = await call('GET', '/auth/sessions', {
    as: as.user(ordinary.body.access_token),
  })
  assert.deepEqual(
    sessions.items.map(({ workspace_id }: { workspace_id: string }) => workspace_id),
    [null, seed.id],
  )
})

test('a session of a domain cannot create or join another workspace', async (t) => {
  const app = await start(t)
  const { seed, call, host, database } = app
  const somebody = await person(app)
  await joinBoth(app, somebody)
  const { body: session } = await logIn(app, somebody, { host })
  const made = await call('POST', '/workspaces', {
    as: as.user(session.access_token),
    body: { name: 'Another', slug: `another-${somebody.uuid.slice(-12)}` },
  })
  assert.deepEqual([made.status, made.body.code], [403, 'permission_denied'])
  await database.pool.query('DELETE FROM memberships WHERE user_id = $1 AND workspace_id = $2', [
    somebody.uuid,
    seed.other.uuid,
  ])
  const invited = await call('POST', `/workspaces/${seed.other.id}/invitations`, {
    as: as.user(seed.other.owner.token),
    body: { email: somebody.email, role: 'viewer' },
  })
  assert.equal(invited.status, 201, invited.text)
  const token = await mailedToken(app, somebody.email)
  const accept = (accessToken: string) =>
    call('POST', '/invitations/accept', { as: as.user(accessToken), body: { token } })
  const refused = await accept(session.access_token)
  assert.deepEqual([refused.status, refused.body.code], [404, 'invitation_not_found'])
  const ordinary = await logIn(app, somebody, {})
  assert.equal((await accept(ordinary.body.access_token)).status, 200)
})

test('a session of a domain cannot take over or delete the account, which is in other workspaces', async (t) => {
  const app = await start(t)
  const { host, database, origin } = app
  const somebody = await person(app)
  await joinBoth(app, somebody)
  const { body: session } = await logIn(app, somebody, { host })
  const { body: ordinary } = await logIn(app, somebody, {})
  const changes = [
    ['POST', `${BASE_PATH}/auth/mfa/totp`, undefined],
    ['POST', `${CONSOLE_BASE}/auth/passkeys/options`, {}],
    ['POST', `${CONSOLE_BASE}/email-changes`, { email: 'another@example.com' }],
    ['DELETE', `${CONSOLE_BASE}/account`, { confirm: somebody.email }],
  ] as const
  const change = (
    token: string,
    [method, path, body]: (typeof changes)[number],
    at: NamedCall = {},
  ): Promise<CallResult> =>
    callHttps(`${origin}${path}`, ca, method, {
      as: as.user(token),
      headers: sameOrigin,
      ...(body !== undefined && { body }),
      ...at,
    })
  for (const each of changes) {
    for (const [token, at] of [
      [session.access_token, {}],
      [ordinary.access_token, { host }],
    ] as const) {
      const { status, body } = await change(token, each, at)
      assert.deepEqual([status, body?.code], [403, 'permission_denied'], each[1])
      assert.match(body.detail, /Sign in at https:/)
    }
  }
  const left = await database.pool.query('SELECT 1 FROM memberships WHERE user_id = $1', [
    somebody.uuid,
  ])
  assert.equal(left.rowCount, 2)
  for (const each of changes) {
    const { status, text } = await change(ordinary.access_token, each)
    assert.ok(status < 300, text)
  }
})

test('an ordinary session is not refreshed through a domain, nor one of another domain', async (t) => {
  const app = await start(t)
  const { seed, host } = app
  const { name: other } = await verifiedDomain(app, nameServer(), seed.other, 'api')
  const somebody = await person(app)
  await joinBoth(app, somebody)
  const ordinary = await logIn(app, somebody, {})
  const ofOther = await logIn(app, somebody, { host: other })
  for (const { body } of [ordinary, ofOther]) {
    const refused = await refresh(app, body.refresh_token, { host })
    assert.deepEqual([refused.status, refused.body.code], [401, 'refresh_token_rejected'])
    assert.equal((await refresh(app, body.refresh_token)).status, 200)
  }
})

test('only members of the workspace can sign in through its domain', async (t) => {
  const app = await start(t)
  const outsider = await person(app)
  const unknown = { ...outsider, email: 'nobody@example.com' }
  const [known, none] = [
    await logIn(app, outsider, { host: app.host }),
    await logIn(app, unknown, { host: app.host }),
  ]
  assert.equal(known.status, 401)
  assert.deepEqual([known.body.code, known.body.detail], [none.body.code, none.body.detail])
  assert.equal((await logIn(app, outsider, {})).status, 200)
})

test('both steps of a sign-in limit the session', async (t) => {
  const app = await start(t)
  const { seed, call, host } = app
  const { name: other } = await verifiedDomain(app, nameServer(), seed.other, 'api')
  const plain = {
    ...app,
    call: (method: string, path: string, options = {}) => call(method, path, options),
  }
  const somebody = await enrolled(plain, clock)
  await joinBoth(app, somebody)
  const codes = [...somebody.recoveryCodes]
  const through = async (first: NamedCall, second: NamedCall): Promise<CallResult> => {
    const { body, text } = await logIn(app, somebody, first)
    assert.equal(body.mfa_required, true, text)
    const step = { mfa_token: body.mfa_token, code: codes.pop() }
    return call('POST', '/auth/mfa/verify', { body: step, ...second })
  }
  for (const [first, second] of [
    [{ host }, {}],
    [{}, { host }],
    [{ host }, { host }],
  ] as const) {
    const { status, body, text } = await through(first, second)
    assert.equal(status, 200, text)
    assert.deepEqual(await workspacesOf(app, body.access_token), [seed.id])
  }
  const crossed = await through({ host }, { host: other })
  assert.deepEqual([crossed.status, crossed.body.code], [401, 'mfa_code_rejected'])
  const { body } = await through({}, {})
  assert.equal((await workspacesOf(app, body.access_token)).length, 2)
})
