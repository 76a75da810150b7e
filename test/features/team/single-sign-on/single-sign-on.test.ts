/**
 * Signing in by identity providers, against a real one: an identity opens its account and no other,
 * once, in the browser that asked for it.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, startApp, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { type Browser, browser } from '../../../support/console.ts'
import { type OidcProvider, startOidcProvider } from '../../../support/oidc.ts'
import { mailTo } from '../../../support/outbox.ts'
import { seedOperator } from '../../../support/seed.ts'
import { codeOf, enrolled, movingClock, PASSWORD, person } from '../../../support/sign-in.ts'

const CONSOLE = 'http://console.test/console'
const clock = movingClock()

const newLogin = (): string => randomBytes(6).toString('hex')

interface Bench {
  app: TestApp
  /** Decides about acme.test, whose people join the seeded workspace. */
  acme: OidcProvider
  /** Signs in anybody with a verified address. */
  open: OidcProvider
}

const entryOf = ({ issuer, clientId, clientSecret }: OidcProvider) => ({
  issuer,
  client_id: clientId,
  client_secret: clientSecret,
})

async function openBench(t: Pick<TestContext, 'after'>): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'sso-'))
  t.after(() => rm(folder, { recursive: true }))
  const acme = await startOidcProvider(t, [`${CONSOLE}/sign-in/sso/acme`])
  const open = await startOidcProvider(t, [`${CONSOLE}/sign-in/sso/open`])
  const decides = {
    domains: ['acme.test'],
    is_authoritative: true,
    joins: [{ domain: 'acme.test', workspace: 'acme-lamps', role: 'member' }],
    second_factor_amr: ['mfa'],
  }
  const providers = [
    { name: 'acme', label: 'Acme', ...entryOf(acme), ...decides },
    { name: 'open', label: 'Open', ...entryOf(open) },
  ]
  const file = join(folder, 'sso.json')
  await writeFile(file, JSON.stringify({ providers }), { mode: 0o600 })
  const environment = {
    MOORING_SSO_FILE: file,
    MOORING_CONSOLE_URL: CONSOLE,
    MOORING_LOG_LEVEL: 'warn',
  }
  const app = await startApp(t, { environment, clock })
  const text = `UPDATE workspaces SET slug = 'acme-lamps' WHERE id = $1`
  await sql(app.database, text, [app.seed.uuid])
  return { app, acme, open }
}

const start = async (page: Browser, provider: string, more: object = {}): Promise<string> => {
  const { status, body, text } = await page.call('POST', '/session/sso/start', {
    body: { provider, ...more },
  })
  assert.equal(status, 200, text)
  return body.url as string
}
const finish = (page: Browser, provider: string, response: string): Promise<CallResult> =>
  page.call('POST', '/session/sso', { body: { provider, response } })

function know(provider: OidcProvider, email: string, isVerified = true): string {
  const login = newLogin()
  provider.people.set(login, { email, email_verified: isVerified, name: 'Grace Hopper' })
  return login
}

const assertRefused = ({ status, body }: CallResult, expected: number, code: string): void =>
  assert.deepEqual([status, body.code], [expected, code], JSON.stringify(body))

async function linksOf({ database }: TestApp, uuid: string): Promise<string[]> {
  const text = 'SELECT provider FROM sso_identities WHERE user_id = $1'
  return (await sql<{ provider: string }>(database, text, [uuid])).map((row) => row.provider)
}

const link = ({ database }: TestApp, uuid: string, provider: string, email: string) =>
  sql(
    database,
    `INSERT INTO sso_identities (id, user_id, provider, issuer, subject, email)
     VALUES (gen_random_uuid(), $1, $2, 'https://id.example', $3, $4)`,
    [uuid, provider, newLogin(), email],
  )

describe('single sign-on', () => {
  const closers: (() => unknown)[] = []
  let app: TestApp
  let acme: OidcProvider
  let open: OidcProvider

  before(async () => {
    const t = { after: (close: unknown) => void closers.push(close as () => unknown) }
    ;({ app, acme, open } = await openBench(t))
  })
  after(async () => {
    for (const close of closers.toReversed()) await close()
  })

  /** From the button to the session. */
  async function signIn(page: Browser, name: 'acme' | 'open', login: string): Promise<CallResult> {
    const provider = name === 'acme' ? acme : open
    return finish(page, name, await provider.signIn(await start(page, name), login))
  }

  const rolesOf = async (token: string): Promise<string[]> => {
    const { body } = await app.call('GET', '/auth/me', { as: as.user(token) })
    return body.workspaces.map(({ role }: { role: string }) => role)
  }

  test('the page of signing in is offered the providers, without their secrets', async () => {
    const { body, text } = await app.call('GET', '/console/api/config')
    assert.deepEqual(body.sso, [
      { name: 'acme', label: 'Acme' },
      { name: 'open', label: 'Open' },
    ])
    assert.ok(!text.includes(acme.clientSecret))
  })

  test('somebody of the domain gets an account, joins its workspace, and comes back to it', async () => {
    const email = `${newLogin()}@acme.test`
    const login = know(acme, email)
    const first = await signIn(browser(app), 'acme', login)
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(await rolesOf(first.body.access_token), ['member'])
    const entries = await sql<{ action: string }>(
      app.database,
      'SELECT action FROM audit_log WHERE request_id = $1 ORDER BY id',
      [first.headers['x-request-id']],
    )
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['account.created', 'identity.linked', 'member.added', 'session.created'],
    )
    // A member who was removed stays removed.
    const text = 'DELETE FROM memberships WHERE workspace_id = $1 AND role = $2'
    await sql(app.database, text, [app.seed.uuid, 'member'])
    const again = await signIn(browser(app), 'acme', login)
    assert.equal(again.body.user_id, first.body.user_id)
    assert.deepEqual(await rolesOf(again.body.access_token), [])
  })

  test('the session is as long as was asked for, and fresh as the provider says', async () => {
    const login = know(acme, `${newLogin()}@acme.test`)
    const page = browser(app)
    const url = await start(page, 'acme', { stay: true })
    assert.match(page.attributes.get('mooring-sso') ?? '', /HttpOnly; SameSite=Strict; Max-Age=600/)
    const { body } = await finish(page, 'acme', await acme.signIn(url, login))
    assert.match(page.attributes.get('mooring-console') ?? '', /Max-Age=2592000$/)
    const [, claims = ''] = String(body.access_token).split('.')
    const { auth_time } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    assert.ok(Math.abs(auth_time - Date.now() / 1_000) < 120)
  })

  test('addresses of another domain, and unverified ones, are refused', async () => {
    const other = await signIn(browser(app), 'acme', know(acme, 'eve@evil.test'))
    assertRefused(other, 403, 'sso_address_refused')
    assert.match(other.body.detail, /acme\.test/)
    const victim = await person(app)
    const unverified = await signIn(browser(app), 'open', know(open, victim.email, false))
    assertRefused(unverified, 403, 'sso_address_refused')
  })

  test('no account is made where there is none and nobody may register', async () => {
    const login = know(open, `${newLogin()}@elsewhere.test`)
    assertRefused(await signIn(browser(app), 'open', login), 403, 'registration_closed')
  })

  test('an account is linked by a provider that does not decide only once it is proved', async () => {
    const someone = await person(app)
    const login = know(open, someone.email)
    const page = browser(app)
    const { body } = await signIn(page, 'open', login)
    assert.deepEqual([body.email, body.access_token], [someone.email, undefined])
    const link = { token: body.link_token }
    const ofOther = await app.call('POST', '/console/api/auth/identities', {
      as: as.user(app.seed.owner.token),
      body: link,
    })
    assertRefused(ofOther, 401, 'sso_rejected')
    const session = await page.call('POST', '/session', {
      body: { email: someone.email, password: PASSWORD },
    })
    const caller = as.user(session.body.access_token)
    const elsewhere = await browser(app).call('POST', '/auth/identities', {
      as: caller,
      body: link,
    })
    assertRefused(elsewhere, 401, 'sso_rejected')
    const linked = () => page.call('POST', '/auth/identities', { as: caller, body: link })
    const responses = await Promise.all([linked(), linked(), linked()])
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [204, 401, 401])
    const again = await signIn(browser(app), 'open', login)
    assert.equal(again.body.user_id, someone.id)
    const [mail] = await mailTo(app, someone.email)
    assert.match(mail?.subject ?? '', /linked/)
  })

  test('a provider that decides about the domain links, and the former password is void', async () => {
    const someone = await person(app)
    const email = `${newLogin()}@acme.test`
    await sql(app.database, 'UPDATE users SET email = $2 WHERE id = $1', [someone.uuid, email])
    const before = await app.call('POST', '/auth/login', { body: { email, password: PASSWORD } })
    const { body } = await signIn(browser(app), 'acme', know(acme, email))
    assert.equal(body.user_id, someone.id)
    const old = await app.call('POST', '/auth/login', { body: { email, password: PASSWORD } })
    assertRefused(old, 401, 'invalid_credentials')
    const refresh = { refresh_token: before.body.refresh_token }
    assert.equal((await app.call('POST', '/auth/refresh', { body: refresh })).status, 401)
  })

  test('a second factor of the account is asked for, unless the provider has checked one', async () => {
    const someone = await enrolled(app, clock)
    const email = `${newLogin()}@acme.test`
    await sql(app.database, 'UPDATE users SET email = $2 WHERE id = $1', [someone.uuid, email])
    const login = know(acme, email)
    const page = browser(app)
    const asked = await signIn(page, 'acme', login)
    assert.ok(asked.body.link_token, 'an account with a factor is never taken over')
    const session = await page.call('POST', '/session', { body: { email, password: PASSWORD } })
    const code = codeOf(someone.secret, clock)
    const proved = await page.call('POST', '/session/mfa', {
      body: { mfa_token: session.body.mfa_token, code },
    })
    const body = { token: asked.body.link_token }
    const caller = as.user(proved.body.access_token)
    assert.equal((await page.call('POST', '/auth/identities', { as: caller, body })).status, 204)
    const step = await signIn(browser(app), 'acme', login)
    assert.deepEqual([step.body.mfa_required, step.body.access_token], [true, undefined])
    const strong = await signIn(browser(app), 'acme', `${login}+mfa`)
    assert.equal(strong.body.user_id, someone.id)
  })

  test('one of twenty concurrent uses of a response gets a session', async () => {
    const login = know(acme, `${newLogin()}@acme.test`)
    const page = browser(app)
    const response = await acme.signIn(await start(page, 'acme'), login)
    const { cookies } = page
    const many = Array.from({ length: 20 }, () => {
      const same = browser(app)
      for (const [name, value] of cookies) same.cookies.set(name, value)
      return finish(same, 'acme', response)
    })
    const responses = await Promise.all(many)
    assert.equal(responses.filter(({ status }) => status === 200).length, 1)
    const others = responses.filter(({ status }) => status !== 200)
    assert.ok(others.every(({ body }) => body.code === 'sso_rejected'))
    assertRefused(await finish(page, 'acme', response), 401, 'sso_rejected')
  })

  test('ten first sign-ins of one person at once make one account', async () => {
    const email = `${newLogin()}@acme.test`
    const login = know(acme, email)
    const many = Array.from({ length: 10 }, () => signIn(browser(app), 'acme', login))
    const users = new Set((await Promise.all(many)).map(({ body }) => body.user_id))
    assert.equal(users.size, 1)
    const rows = await sql(app.database, 'SELECT id FROM users WHERE email = $1', [email])
    assert.equal(rows.length, 1)
  })

  test('another browser, another state, nonce or code gets nothing', async () => {
    const login = know(acme, `${newLogin()}@acme.test`)
    const page = browser(app)
    const response = await acme.signIn(await start(page, 'acme'), login)
    assertRefused(await finish(browser(app), 'acme', response), 401, 'sso_rejected')

    const changed = async (change: (query: URLSearchParams) => void): Promise<CallResult> => {
      const query = new URLSearchParams(await acme.signIn(await start(page, 'acme'), login))
      change(query)
      return finish(page, 'acme', `?${query.toString()}`)
    }
    assertRefused(await changed((query) => query.set('state', 'x')), 401, 'sso_rejected')
    assertRefused(await changed((query) => query.set('code', 'x')), 401, 'sso_rejected')
    assertRefused(await changed((query) => query.delete('iss')), 401, 'sso_rejected')
    const denied = await changed((query) => {
      query.delete('code')
      query.set('error', 'access_denied')
    })
    assertRefused(denied, 401, 'sso_rejected')

    for (const name of ['nonce', 'code_challenge']) {
      const url = new URL(await start(page, 'acme'))
      url.searchParams.set(name, randomBytes(32).toString('base64url'))
      const brought = await acme.signIn(url.href, login)
      assertRefused(await finish(page, 'acme', brought), 401, 'sso_rejected')
    }
    const replayed = new URLSearchParams(response).get('code') ?? ''
    await finish(page, 'acme', response)
    assertRefused(await changed((query) => query.set('code', replayed)), 401, 'sso_rejected')
  })

  test('a response of one provider is worth nothing as one of another (mix-up)', async () => {
    const email = `${newLogin()}@acme.test`
    const page = browser(app)
    const honest = new URL(await start(page, 'acme'))
    const theirs = new URL(await start(page, 'open'))
    theirs.searchParams.set('state', honest.searchParams.get('state') ?? '')
    const response = await open.signIn(theirs.href, know(open, email))
    assertRefused(await finish(page, 'acme', response), 401, 'sso_rejected')
    const own = await acme.signIn(await start(page, 'acme'), know(acme, email))
    assertRefused(await finish(page, 'open', own), 401, 'sso_rejected')
  })

  test('an operator sees the identities of an account, and removes them with its factors', async () => {
    const someone = await enrolled(app, clock)
    await link(app, (await person(app)).uuid, 'acme', 'other@acme.test')
    await link(app, someone.uuid, 'open', someone.email)
    const { token } = await seedOperator(app.app)
    const path = `/console/api/installation/accounts/${someone.id}`
    const seen = async (): Promise<string[][]> => {
      const { body } = await app.call('GET', path, { as: as.user(token) })
      return body.identities.map(({ provider, email }: Record<string, string>) => [provider, email])
    }
    assert.deepEqual(await seen(), [['open', someone.email]])
    const removed = await app.call('DELETE', `${path}/factors`, { as: as.user(token) })
    assert.equal(removed.status, 204, removed.text)
    assert.deepEqual(await linksOf(app, someone.uuid), [])
    assert.deepEqual(await seen(), [])
  })

  test('a provider that decides about the domain takes the account from other identities', async () => {
    const someone = await person(app)
    const email = `${newLogin()}@acme.test`
    await sql(app.database, 'UPDATE users SET email = $2 WHERE id = $1', [someone.uuid, email])
    await link(app, someone.uuid, 'open', email)
    const { body } = await signIn(browser(app), 'acme', know(acme, email))
    assert.equal(body.user_id, someone.id)
    assert.deepEqual(await linksOf(app, someone.uuid), ['acme'])
  })

  test('a provider is unlinked by its person, and signs in no more', async () => {
    const login = know(acme, `${newLogin()}@acme.test`)
    const page = browser(app)
    const { body } = await signIn(page, 'acme', login)
    const caller = as.user(body.access_token)
    const listed = await page.call('GET', '/auth/identities', { as: caller })
    const [identity] = listed.body.items
    assert.equal(identity.provider, 'acme')
    const path = `/auth/identities/${identity.id}`
    assert.equal((await page.call('DELETE', path, { as: caller })).status, 204)
    const again = await page.call('DELETE', path, { as: caller })
    assertRefused(again, 404, 'sso_identity_not_found')
    const { rows } = await app.database.pool.query(
      'SELECT id FROM sso_identities WHERE subject = $1',
      [login],
    )
    assert.deepEqual(rows, [])
  })

  test('a disabled account gets no session, and an unknown provider is none', async () => {
    const login = know(acme, `${newLogin()}@acme.test`)
    const { body } = await signIn(browser(app), 'acme', login)
    await sql(app.database, `UPDATE users SET status = 'disabled' WHERE id = $1`, [
      parseId('usr', body.user_id),
    ])
    assertRefused(await signIn(browser(app), 'acme', login), 401, 'sso_rejected')
    const unknown = await browser(app).call('POST', '/session/sso/start', {
      body: { provider: 'nobody' },
    })
    assertRefused(unknown, 404, 'sso_provider_not_found')
  })

  test('an unavailable provider is reported with advice; the others work', async (t) => {
    const page = browser(app)
    const response = await open.signIn(await start(page, 'open'), know(open, 'a@b.test'))
    await open.stop()
    const log = t.mock.method(process.stderr, 'write', () => true)
    const lost = await finish(page, 'open', response)
    log.mock.restore()
    const lines = log.mock.calls.map(({ arguments: [line] }) => String(line)).join('')
    assert.match(lines, /"error":"identity provider open: /)
    assertRefused(lost, 503, 'sso_provider_unavailable')
    assert.match(lost.body.detail, /Open does not answer\. Try again/)
    assert.equal(lost.headers['retry-after'], '10')
    const login = know(acme, `${newLogin()}@acme.test`)
    assert.equal((await signIn(browser(app), 'acme', login)).status, 200)
  })
})
