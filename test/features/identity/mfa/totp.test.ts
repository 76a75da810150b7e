/** Enrolling an authenticator, removing it, and its recovery codes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import {
  challenge,
  codeOf,
  count,
  enrolled,
  logIn,
  me,
  movingClock,
  type Person,
  person,
  signIn,
  STEP_MS,
  tally,
  verify,
  wrongCode,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const clock = movingClock()
const freshTenants = useTenants({ clock })

const recoveryCodes = (app: TestApp, { uuid }: Person): Promise<number> =>
  count(app, 'user_recovery_codes WHERE user_id = $1', [uuid])

const begin = (app: TestApp, token: string): Promise<CallResult> =>
  app.call('POST', '/auth/mfa/totp', { as: as.user(token) })
const confirm = (app: TestApp, token: string, code: string): Promise<CallResult> =>
  app.call('POST', '/auth/mfa/totp/confirm', { as: as.user(token), body: { code } })
const remove = (app: TestApp, token: string, code: string): Promise<CallResult> =>
  app.call('DELETE', '/auth/mfa/totp', { as: as.user(token), body: { code } })
const renew = (app: TestApp, token: string, code: string): Promise<CallResult> =>
  app.call('POST', '/auth/mfa/recovery-codes', { as: as.user(token), body: { code } })

describe('enrolling an authenticator', () => {
  test('signing in asks for it only after a code was confirmed', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const { status, body } = await begin(app, token)
    assert.equal(status, 200)
    const uri = new URL(body.otpauth_uri)
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.searchParams.get('secret'), body.secret)
    assert.ok(decodeURIComponent(uri.pathname).includes(someone.email))
    assert.equal((await logIn(app, someone.email)).body.token_type, 'Bearer')
    const done = await confirm(app, token, codeOf(body.secret, clock))
    assert.equal(done.status, 200)
    assert.equal(new Set(done.body.recovery_codes).size, 10)
    for (const code of done.body.recovery_codes)
      assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){5}.{4}$/)
    assert.equal((await logIn(app, someone.email)).body.mfa_required, true)
    assert.equal((await me(app, token)).body.recovery_codes_left, 10)
  })

  test('the code that confirmed it does not sign in too', async (t) => {
    const app = await freshTenants(t)
    const someone = await enrolled(app, clock)
    const used = codeOf(someone.secret, clock, -1)
    assert.equal((await verify(app, await challenge(app, someone), used)).status, 401)
  })

  test('a second enrolment invalidates the first secret; a wrong code confirms nothing', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    assert.equal((await confirm(app, token, '123456')).body.code, 'mfa_not_enrolled')
    const first = (await begin(app, token)).body.secret
    const second = (await begin(app, token)).body.secret
    assert.equal((await confirm(app, token, codeOf(first, clock))).body.code, 'mfa_code_rejected')
    assert.equal((await confirm(app, token, wrongCode(second, clock))).status, 401)
    assert.equal((await logIn(app, someone.email)).body.mfa_required, undefined)
    assert.equal((await confirm(app, token, codeOf(second, clock))).status, 200)
    assert.equal(
      (await confirm(app, token, codeOf(second, clock))).body.code,
      'mfa_already_enrolled',
    )
    assert.equal((await begin(app, token)).body.code, 'mfa_already_enrolled')
  })

  test('fifty confirmations at once give one set of recovery codes', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const { secret } = (await begin(app, token)).body
    const code = codeOf(secret, clock)
    const results = await Promise.all(Array.from({ length: 50 }, () => confirm(app, token, code)))
    assert.equal(tally(results)[200], 1)
    assert.equal(await recoveryCodes(app, someone), 10)
  })

  test('a sign-in in progress when it was confirmed opens no session', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const { secret } = (await begin(app, token)).body
    const version = 'SELECT sign_in_version AS n FROM users WHERE id = $1'
    const read = async () => (await app.database.pool.query(version, [someone.uuid])).rows[0].n
    const before = await read()
    assert.equal((await confirm(app, token, codeOf(secret, clock))).status, 200)
    assert.equal(await read(), before + 1)

    const other = await person(app)
    const holder = await app.database.connect()
    t.after(() => holder.end())
    await holder.query('BEGIN')
    const outdate = 'UPDATE users SET sign_in_version = sign_in_version + 1 WHERE id = $1'
    await holder.query(outdate, [other.uuid])
    const waiting = logIn(app, other.email)
    const blocked = `pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while ((await count(app, blocked)) === 0)
      await new Promise((resolve) => setTimeout(resolve, 10))
    await holder.query('COMMIT')
    assert.equal((await waiting).body.code, 'invalid_credentials')
    assert.equal(await count(app, 'user_sessions WHERE user_id = $1', [other.uuid]), 0)
    assert.equal((await logIn(app, other.email)).status, 200)
  })

  test('neither secret nor recovery codes can be read in the database', async (t) => {
    const app = await freshTenants(t)
    const someone = await enrolled(app, clock)
    for (const table of ['user_totp', 'user_recovery_codes', 'audit_log', 'users']) {
      const { rows } = await app.database.pool.query<{ text: string }>(
        `SELECT string_agg(x::text, ' ') AS text FROM ${table} x`,
      )
      const hex = (text: string) => Buffer.from(text).toString('hex')
      for (const secret of [someone.secret, ...someone.recoveryCodes]) {
        assert.ok(!rows[0]?.text.includes(secret) && !rows[0]?.text.includes(hex(secret)), table)
      }
    }
  })
})

describe('removing an authenticator', () => {
  test('requires a code of it; then the password alone signs in', async (t) => {
    const app = await freshTenants(t)
    const someone = await enrolled(app, clock)
    const session = await verify(app, await challenge(app, someone), codeOf(someone.secret, clock))
    const token = session.body.access_token as string
    const waiting = await challenge(app, someone)
    assert.equal((await remove(app, token, codeOf(someone.secret, clock))).status, 401)
    assert.equal((await remove(app, token, wrongCode(someone.secret, clock))).status, 401)
    clock.move(STEP_MS)
    assert.equal((await remove(app, token, codeOf(someone.secret, clock))).status, 204)
    assert.equal((await remove(app, token, '123456')).body.code, 'mfa_not_enrolled')
    assert.equal((await logIn(app, someone.email)).body.token_type, 'Bearer')
    assert.equal(await recoveryCodes(app, someone), 0)
    const [first = ''] = someone.recoveryCodes
    assert.equal((await verify(app, waiting, first)).status, 401)
  })

  test('wrong codes are counted in every operation', async (t) => {
    const app = await freshTenants(t)
    const someone = await enrolled(app, clock)
    const [first = ''] = someone.recoveryCodes
    const session = await verify(app, await challenge(app, someone), first)
    const token = session.body.access_token as string
    const guesses = Array.from({ length: 60 }, (_, seed) => {
      const guess = wrongCode(someone.secret, clock, seed)
      return seed % 2 ? remove(app, token, guess) : renew(app, token, guess)
    })
    assert.deepEqual(tally(await Promise.all(guesses)), { 401: 10, 429: 50 })
  })
})

describe('recovery codes', () => {
  test('are replaced as a set', async (t) => {
    const app = await freshTenants(t)
    const someone = await enrolled(app, clock)
    const [first = '', second = ''] = someone.recoveryCodes
    const session = await verify(app, await challenge(app, someone), first)
    const token = session.body.access_token as string
    assert.equal((await me(app, token)).body.recovery_codes_left, 9)
    const renewed = await renew(app, token, codeOf(someone.secret, clock))
    assert.equal(renewed.status, 200)
    assert.equal(renewed.body.recovery_codes.length, 10)
    assert.equal((await verify(app, await challenge(app, someone), second)).status, 401)
    const fresh = renewed.body.recovery_codes[0] as string
    assert.equal((await verify(app, await challenge(app, someone), fresh)).status, 200)
    assert.equal((await me(app, token)).body.recovery_codes_left, 9)
  })

  test('renewed ten times at once, with a recovery code each, end as one set', async (t) => {
    const app = await freshTenants(t)
    const someone = await enrolled(app, clock)
    const session = await verify(app, await challenge(app, someone), codeOf(someone.secret, clock))
    const token = session.body.access_token as string
    const results = await Promise.all(someone.recoveryCodes.map((code) => renew(app, token, code)))
    assert.equal(tally(results)[200], 1)
    assert.equal(await recoveryCodes(app, someone), 10)
    const winner = results.find(({ status }) => status === 200)
    const fresh = winner?.body.recovery_codes[0] as string
    assert.equal((await verify(app, await challenge(app, someone), fresh)).status, 200)
  })
})
