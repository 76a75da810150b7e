/** Sessions of the web console: the refresh token is in a cookie, and nowhere else. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, callUrl, sameOrigin, startApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { type Browser, browser } from '../../../support/console.ts'
import {
  codeOf,
  enrolled,
  me,
  movingClock,
  PASSWORD,
  type Person,
  person,
  wrongCode,
} from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'

const SESSION = 'mooring-console'
const KNOWN_DEVICE = 'mooring-known-device'

describe('a session of the console', () => {
  const clock = movingClock()
  const get = useApp({ clock })

  const open = (page: Browser, { email }: Pick<Person, 'email'>, more: object = {}) =>
    page.call('POST', '/session', { body: { email, password: PASSWORD, ...more } })
  const refresh = (page: Browser) => page.call('POST', '/session/refresh', { body: {} })

  /** Hours until the session ends, as the service reports to its owner. */
  async function hoursLeft(token: string): Promise<number> {
    const { body } = await get().call('GET', '/auth/sessions', { as: as.user(token) })
    const { items } = body as { items: { current: boolean; expires_at: string }[] }
    const current = items.find((each) => each.current)
    return Math.round((Date.parse(current?.expires_at ?? '') - Date.now()) / 3_600_000)
  }

  test('opens with a password; the response has no refresh token, the cookie has', async () => {
    const someone = await person(get())
    const page = browser(get())
    const { status, body, text } = await open(page, someone)
    assert.equal(status, 200, text)
    assert.deepEqual(Object.keys(body as object).toSorted(), [
      'access_token',
      'expires_in',
      'token_type',
      'user_id',
    ])
    assert.equal(body.user_id, someone.id)
    assert.match(page.cookies.get(SESSION) ?? '', /^rt_/)
    assert.match(page.cookies.get(KNOWN_DEVICE) ?? '', /^kd_/)
    assert.equal(page.attributes.get(SESSION), 'Path=/console/api; HttpOnly; SameSite=Strict')
    assert.match(page.attributes.get(KNOWN_DEVICE) ?? '', /HttpOnly.*Max-Age=15552000$/)
    assert.equal((await me(get(), body.access_token as string)).status, 200)
  })

  test('ends after 12 hours, however often it is refreshed, and with the browser', async () => {
    const page = browser(get())
    const someone = await person(get())
    const { body } = await open(page, someone)
    assert.equal(await hoursLeft(body.access_token as string), 12)
    const second = await refresh(page)
    assert.equal(second.status, 200, second.text)
    assert.equal(await hoursLeft(second.body.access_token as string), 12)
    assert.doesNotMatch(page.attributes.get(SESSION) ?? '', /Max-Age/)
    page.restart()
    assert.equal((await refresh(page)).body.code, 'refresh_token_rejected')
  })

  test('stays if that is asked for, also when it is refreshed', async () => {
    const page = browser(get())
    await open(page, await person(get()), { stay: true })
    assert.match(page.attributes.get(SESSION) ?? '', /Max-Age=2592000$/)
    page.restart()
    const { status, body } = await refresh(page)
    assert.equal(status, 200)
    assert.match(page.attributes.get(SESSION) ?? '', /Max-Age=2592000$/)
    assert.equal(await hoursLeft(body.access_token as string), 30 * 24)
  })

  test('a brief session does not become a lasting one by a changed cookie', async () => {
    const page = browser(get())
    await open(page, await person(get()))
    page.cookies.set(SESSION, `stay.${page.cookies.get(SESSION)}`)
    const { status, body } = await refresh(page)
    assert.equal(status, 200)
    assert.equal(await hoursLeft(body.access_token as string), 12)
  })

  test('refreshing rotates the token; an older one ends the session and clears the cookie', async () => {
    const page = browser(get())
    const { body } = await open(page, await person(get()))
    const first = page.cookies.get(SESSION) as string
    await refresh(page)
    assert.notEqual(page.cookies.get(SESSION), first)
    await refresh(page)
    page.cookies.set(SESSION, first)
    const reused = await refresh(page)
    assert.equal(reused.status, 401)
    assert.equal(reused.body.code, 'refresh_token_reused')
    assert.equal(page.cookies.has(SESSION), false)
    assert.equal((await me(get(), body.access_token as string)).status, 401)
  })

  test('an invalid cookie is rejected and cleared, and a missing one is rejected', async () => {
    const page = browser(get())
    assert.equal((await refresh(page)).body.code, 'refresh_token_rejected')
    for (const value of ['x', 'stay.', 'stay.x', 'rt_x']) {
      page.cookies.set(SESSION, value)
      const { status, body } = await refresh(page)
      assert.equal(status, 401)
      assert.equal(body.code, 'refresh_token_rejected')
      assert.equal(page.cookies.has(SESSION), false)
    }
  })

  test('closing ends the session at once and clears the cookie; the device stays known', async () => {
    const page = browser(get())
    const someone = await person(get())
    const { body } = await open(page, someone)
    const kept = page.cookies.get(SESSION) as string
    assert.equal((await page.call('DELETE', '/session')).status, 204)
    assert.deepEqual([...page.cookies.keys()], [KNOWN_DEVICE])
    assert.equal((await me(get(), body.access_token as string)).status, 401)
    page.cookies.set(SESSION, kept)
    assert.equal((await refresh(page)).status, 401)
    const entries = await sql(
      get().database,
      `SELECT actor_id, detail FROM audit_log WHERE action = 'session.ended' AND actor_id = $1`,
      [someone.id],
    )
    assert.deepEqual(entries, [{ actor_id: someone.id, detail: { reason: 'logged_out' } }])
  })

  test('closing succeeds without a session, and again', async () => {
    const page = browser(get())
    assert.equal((await page.call('DELETE', '/session')).status, 204)
    await open(page, await person(get()))
    const kept = page.cookies.get(SESSION) as string
    await page.call('DELETE', '/session')
    page.cookies.set(SESSION, kept)
    assert.equal((await page.call('DELETE', '/session')).status, 204)
    page.cookies.set(SESSION, 'x')
    assert.equal((await page.call('DELETE', '/session')).status, 204)
  })

  test('opens after a code with an authenticator, and has the lifetime of that step', async () => {
    const someone = await enrolled(get(), clock)
    const page = browser(get())
    const step = await open(page, someone)
    assert.equal(step.status, 200, step.text)
    const { mfa_required, mfa_token, mfa_methods, ...rest } = step.body
    assert.deepEqual([mfa_required, mfa_methods], [true, ['totp', 'recovery_code']])
    assert.deepEqual(Object.keys(rest as object), ['expires_in'])
    assert.equal(page.cookies.size, 0)
    const verify = (code: string) =>
      page.call('POST', '/session/mfa', { body: { mfa_token, code, stay: true } })
    const wrong = await verify(wrongCode(someone.secret, clock))
    assert.equal(wrong.body.code, 'mfa_code_rejected')
    const { status, body, text } = await verify(codeOf(someone.secret, clock))
    assert.equal(status, 200, text)
    assert.equal(body.user_id, someone.id)
    assert.match(page.attributes.get(SESSION) ?? '', /Max-Age=2592000$/)
    assert.equal(await hoursLeft(body.access_token as string), 30 * 24)
  })

  test('a wrong password and an unknown address get the same response, without a cookie', async () => {
    const page = browser(get())
    const { email } = await person(get())
    const responses = [email, 'nobody@example.com'].map((each) =>
      page.call('POST', '/session', { body: { email: each, password: 'wrong, all of it' } }),
    )
    const [known, unknown] = (await Promise.all(responses)).map(({ status, body, cookies }) => {
      const { trace_id: _trace, ...problem } = body as Record<string, unknown>
      return { status, problem, cookies }
    })
    assert.deepEqual(known, unknown)
    assert.equal(known?.problem.code, 'invalid_credentials')
    assert.deepEqual(known?.cookies, [])
  })

  test('the API accepts no cookie, and the console accepts no page of another site', async () => {
    const page = browser(get())
    await open(page, await person(get()))
    const cookie = `${SESSION}=${page.cookies.get(SESSION)}`
    const headers = { ...sameOrigin, cookie }
    const seen = await get().call('GET', '/auth/me', { headers })
    assert.equal(seen.body.code, 'credential_missing')
    const { origin } = get()
    for (const site of ['cross-site', 'same-site']) {
      const foreign = { cookie, 'sec-fetch-site': site }
      const url = `${origin}/console/api/session`
      const closed = await callUrl(url, 'DELETE', { headers: foreign })
      assert.equal(closed.body.code, 'cross_site_request')
    }
    assert.equal((await refresh(page)).status, 200)
  })
})

describe('limits of the console', () => {
  const get = useApp({ environment: { MOORING_RATE_LIMITS: 'on' } })

  test('passwords are limited as they are by the API, starts without a session are not', async () => {
    const page = browser(get())
    const body = { email: 'nobody@example.com', password: 'wrong, all of it' }
    const statuses: number[] = []
    for (let at = 0; at < 25; at += 1) {
      statuses.push((await page.call('POST', '/session', { body })).status)
      const start = await page.call('POST', '/session/refresh', { body: {} })
      assert.equal(start.status, 401)
    }
    assert.ok(statuses.includes(429), String(statuses))
  })
})

describe('the configuration of the console', () => {
  test('is public: version, registration, mail and setup', async (t) => {
    const app = await startApp(t, { environment: { MOORING_REGISTRATION: 'open' } })
    const { status, body } = await browser(app).call('GET', '/config')
    assert.equal(status, 200)
    assert.match(body.version as string, /^\d+\.\d+\.\d+$/)
    const { version: _version, passkey_origin: _origin, ...rest } = body
    assert.deepEqual(rest, {
      registration: 'open',
      installation: true,
      mqtt_durable: 'off',
      sso: [],
      stripe_key: null,
      mail: false,
      setup_open: false,
    })
  })
})
