/** Guessing at an account locks nobody out, and stays bounded however many addresses take part. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listOutbox } from '../../../../src/features/mail/outbox/outbox.ts'
import { as, type CallResult, startApp, type TestApp } from '../../../support/app.ts'
import {
  assertGuesses,
  challenge,
  codeOf,
  comparable,
  count,
  enrolled,
  movingClock,
  PASSWORD,
  person,
  STEP_MS,
  tally,
  wrongCode,
} from '../../../support/sign-in.ts'

const proxied = { MOORING_TRUSTED_PROXIES: '127.0.0.1' }
const limited = { ...proxied, MOORING_RATE_LIMITS: 'on' }

interface Extra {
  known_device_token?: string
  code?: string
}

const logInFrom = (
  app: TestApp,
  from: string,
  email: string,
  password: string = PASSWORD,
  extra: Extra = {},
): Promise<CallResult> =>
  app.call('POST', '/auth/login', {
    body: { email, password, ...extra },
    headers: { 'x-forwarded-for': from },
  })

const ATTACKER = '203.0.113.66'
const HOME = '198.51.100.7'

/** Uses up what all sources that are not known may fail, as fifty wrong passwords would. */
async function useUpBudget(app: TestApp, email: string): Promise<void> {
  assert.equal((await logInFrom(app, '192.0.2.250', email, 'wrong')).status, 401)
  await app.database.pool.query(
    `UPDATE failed_tries SET tries = 50, updated_at = now() WHERE factor = 'password'`,
  )
}

const SUBJECT = 'Code for signing in (Mooring)'

const mailsTo = (app: TestApp, email: string): Promise<number> =>
  count(app, 'mail_outbox WHERE recipient = $1 AND subject = $2', [email, SUBJECT])

async function mailedCode(app: TestApp, email: string): Promise<string | undefined> {
  const mail = (await listOutbox(app.services)).find(
    ({ to, subject }) => to === email && subject === SUBJECT,
  )
  return /^[0-9A-Z]{5}-[0-9A-Z]{5}$/m.exec(mail?.text ?? '')?.[0]
}

describe('one address that guesses', () => {
  test('never locks out the owner at another address', async (t) => {
    const app = await startApp(t, { environment: limited })
    const { email } = await person(app)
    const guess = () => logInFrom(app, ATTACKER, email, 'wrong')
    for (let round = 0; round < 5; round += 1) {
      const guesses = Promise.all(Array.from({ length: 8 }, guess))
      const owner = await Promise.all(Array.from({ length: 4 }, () => logInFrom(app, HOME, email)))
      assert.deepEqual(tally(owner), { 200: 4 })
      const refused = tally(await guesses)
      assert.equal(refused[200], undefined)
    }
  })

  test('never keeps a known device out that has the same address', async (t) => {
    const app = await startApp(t, { environment: limited })
    const { email } = await person(app)
    const { known_device_token: token } = (await logInFrom(app, ATTACKER, email)).body
    assert.match(token, /^kd_/)
    const known = { known_device_token: token as string }
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => logInFrom(app, ATTACKER, email, 'wrong')))
      assert.equal((await logInFrom(app, ATTACKER, email, PASSWORD, known)).status, 200)
    }
    assert.equal((await logInFrom(app, ATTACKER, email)).status, 429)
  })

  test('has ten free failures of its own, independent of other addresses', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const { email } = await person(app)
    const since = performance.now()
    const guesses = [ATTACKER, HOME].map((from) =>
      Promise.all(Array.from({ length: 20 }, () => logInFrom(app, from, email, 'wrong'))),
    )
    for (const responses of await Promise.all(guesses)) assertGuesses(responses, 10, since)
  })

  test('does not lock out colleagues at the same address', async (t) => {
    const app = await startApp(t, { environment: { ...limited, MOORING_LIMIT_AUTH: '10' } })
    for (let index = 0; index < 12; index += 1) {
      const { email } = await person(app)
      assert.equal((await logInFrom(app, HOME, email)).status, 200, String(index))
    }
  })

  test('guesses at different accounts share the limit of the address', async (t) => {
    const app = await startApp(t, { environment: { ...limited, MOORING_LIMIT_AUTH: '10' } })
    const guesses = Array.from({ length: 30 }, (_, index) =>
      logInFrom(app, ATTACKER, `nobody${index}@example.com`, 'wrong'),
    )
    assert.deepEqual(tally(await Promise.all(guesses)), { 401: 10, 429: 20 })
  })
})

describe('a known device', () => {
  test('has ten free failures of its own, and then waits', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const { email } = await person(app)
    const known = (await logInFrom(app, HOME, email)).body as Extra
    const extra = { known_device_token: known.known_device_token ?? '' }
    const since = performance.now()
    const guesses = Array.from({ length: 20 }, () => logInFrom(app, HOME, email, 'wrong', extra))
    assertGuesses(await Promise.all(guesses), 10, since)
    assert.equal(
      (await logInFrom(app, HOME, email)).status,
      200,
      'the account is counted separately from the address',
    )
  })

  test('is known by its own account only, and its token gives no access', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const [one, other] = [await person(app), await person(app)]
    const { body } = await logInFrom(app, HOME, one.email)
    const known = { known_device_token: body.known_device_token as string }
    await useUpBudget(app, other.email)
    assert.equal((await logInFrom(app, HOME, other.email, PASSWORD, known)).status, 429)
    const bearer = as.bearer(known.known_device_token)
    assert.equal((await app.call('GET', '/auth/me', { as: bearer })).status, 401)
    const refresh = { refresh_token: known.known_device_token }
    assert.equal((await app.call('POST', '/auth/refresh', { body: refresh })).status, 401)
  })

  test('stays known after signing out, but not once its session is revoked', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const { email } = await person(app)
    const [left, revoked] = [await logInFrom(app, HOME, email), await logInFrom(app, HOME, email)]
    const { body: rest } = await logInFrom(app, HOME, email)
    await app.call('POST', '/auth/logout', { as: as.user(left.body.access_token) })
    const { body: me } = await app.call('GET', '/auth/me', {
      as: as.user(revoked.body.access_token),
    })
    const path = `/auth/sessions/${me.session_id}`
    assert.equal((await app.call('DELETE', path, { as: as.user(rest.access_token) })).status, 204)
    await useUpBudget(app, email)
    const withToken = ({ body }: CallResult) =>
      logInFrom(app, HOME, email, PASSWORD, { known_device_token: body.known_device_token })
    assert.equal((await withToken(left)).status, 200)
    assert.equal((await withToken(revoked)).status, 429)
  })

  test('is deleted with the password, and 30 days after its session', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const { email } = await person(app)
    const { body } = await logInFrom(app, HOME, email)
    const change = { current_password: PASSWORD, new_password: 'another kettle of fish' }
    const bearer = as.user(body.access_token)
    assert.equal(
      (await app.call('POST', '/auth/password', { as: bearer, body: change })).status,
      204,
    )
    await useUpBudget(app, email)
    const renewed = (token: string) =>
      logInFrom(app, HOME, email, change.new_password, { known_device_token: token })
    assert.equal((await renewed(body.known_device_token)).status, 429)
    await app.database.pool.query('DELETE FROM failed_tries')
    const { body: next } = await logInFrom(app, HOME, email, change.new_password)
    await useUpBudget(app, email)
    assert.equal((await renewed(next.known_device_token)).status, 200)
    await app.database.pool.query(
      `UPDATE user_sessions SET expires_at = now() - interval '31 days'`,
    )
    assert.equal((await renewed(next.known_device_token)).status, 429)
  })
})

describe('many addresses that guess', () => {
  test('have fifty guesses at one account together, in two processes', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const second = await app.sibling()
    const { email } = await person(app)
    const guesses = Array.from({ length: 90 }, (_, index) =>
      logInFrom(index % 2 ? app : second, `203.0.113.${index % 45}`, email, `guess ${index}`),
    )
    const responses = await Promise.all(guesses)
    assert.deepEqual(tally(responses), { 401: 50, 429: 40 })
    const names = responses.flatMap(({ body }) => body.limit?.name ?? [])
    assert.deepEqual([...new Set(names)], ['failed_attempts_of_account'])
    await app.database.pool.query(
      `UPDATE failed_tries SET updated_at = updated_at - interval '61 minutes'`,
    )
    const later = [1, 2, 3].map((host) => logInFrom(app, `192.0.2.${host}`, email, 'wrong'))
    assert.deepEqual(tally(await Promise.all(later)), { 401: 2, 429: 1 })
  })

  test('have forty of them in one /48 of IPv6', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const { email } = await person(app)
    const since = performance.now()
    const guesses = Array.from({ length: 60 }, (_, index) =>
      logInFrom(app, `2001:db8:0:${(index * 0x80).toString(16)}::1`, email, 'wrong'),
    )
    assertGuesses(await Promise.all(guesses), 40, since)
    assert.equal((await logInFrom(app, HOME, email)).status, 200)
  })

  test('reveal nothing: unknown, wrong and correct credentials get the same refusal', async (t) => {
    const clock = movingClock()
    const app = await startApp(t, { environment: proxied, clock })
    const [plain, guarded] = [await person(app), await enrolled(app, clock)]
    const nobody = 'nobody@example.com'
    for (const email of [plain.email, guarded.email, nobody]) await useUpBudget(app, email)
    const responses = await Promise.all([
      logInFrom(app, HOME, nobody),
      logInFrom(app, HOME, plain.email, 'wrong'),
      logInFrom(app, HOME, plain.email),
      logInFrom(app, HOME, guarded.email, 'wrong'),
      logInFrom(app, HOME, guarded.email),
      logInFrom(app, HOME, plain.email, PASSWORD, { code: '00000-00000' }),
      logInFrom(app, HOME, guarded.email, PASSWORD, { code: '000000' }),
    ])
    const [first, ...others] = responses.map(comparable)
    for (const other of others) assert.deepEqual(other, first)
    assert.equal(responses[0]?.status, 429)
  })

  test('cannot lock out the owner: the owner gets a code by mail, which works once', async (t) => {
    const app = await startApp(t, { environment: proxied })
    const { email, uuid } = await person(app)
    await useUpBudget(app, email)
    await logInFrom(app, HOME, email, 'wrong')
    assert.equal(await mailedCode(app, email), undefined, 'a wrong password mails nothing')
    const asked = await Promise.all(Array.from({ length: 5 }, () => logInFrom(app, HOME, email)))
    assert.deepEqual(tally(asked), { 429: 5 })
    assert.equal(await mailsTo(app, email), 1)
    const code = await mailedCode(app, email)
    assert.ok(code)
    const places = Array.from({ length: 12 }, (_, host) => `192.0.2.${host}`)
    const wrong = await Promise.all(
      places.slice(0, 3).map((from) => logInFrom(app, from, email, 'wrong', { code })),
    )
    assert.deepEqual(tally(wrong), { 429: 3 })
    const used = await Promise.all(
      places.map((from) => logInFrom(app, from, email, PASSWORD, { code: code.toLowerCase() })),
    )
    assert.deepEqual(tally(used), { 200: 1, 429: 11 })
    assert.equal(await count(app, 'user_sessions WHERE user_id = $1', [uuid]), 1)
    const { body } = used.find(({ status }) => status === 200) as CallResult
    const known = { known_device_token: body.known_device_token as string }
    assert.equal((await logInFrom(app, HOME, email, PASSWORD, known)).status, 200)
  })

  test('cannot lock out an owner with an authenticator: the owner sends its code as well', async (t) => {
    const clock = movingClock()
    const app = await startApp(t, { environment: proxied, clock })
    const someone = await enrolled(app, clock)
    const { email, secret } = someone
    await useUpBudget(app, email)
    const wrong = await logInFrom(app, HOME, email, PASSWORD, { code: wrongCode(secret, clock) })
    assert.equal(wrong.status, 429)
    const code = codeOf(secret, clock)
    const used = await Promise.all(
      Array.from({ length: 6 }, (_, host) =>
        logInFrom(app, `192.0.2.${host}`, email, PASSWORD, { code }),
      ),
    )
    assert.deepEqual(tally(used), { 200: 1, 429: 5 })
    const recovery = { code: someone.recoveryCodes[0] ?? '' }
    assert.equal((await logInFrom(app, HOME, email, PASSWORD, recovery)).status, 200)
    assert.equal(await mailsTo(app, email), 0)
  })
})

describe('an attacker with the password who guesses codes', () => {
  const verifyFrom = (app: TestApp, from: string, token: string, code: string, extra: Extra = {}) =>
    app.call('POST', '/auth/mfa/verify', {
      body: { mfa_token: token, code, ...extra },
      headers: { 'x-forwarded-for': from },
    })

  test('keeps only that address out', async (t) => {
    const clock = movingClock()
    const app = await startApp(t, { environment: proxied, clock })
    const someone = await enrolled(app, clock)
    for (let seed = 0; seed < 12; seed += 1) {
      const wrong = wrongCode(someone.secret, clock, seed)
      await verifyFrom(app, ATTACKER, await challenge(app, someone), wrong)
    }
    const code = codeOf(someone.secret, clock)
    const token = await challenge(app, someone)
    assert.equal((await verifyFrom(app, ATTACKER, token, code)).status, 429)
    assert.equal((await verifyFrom(app, HOME, token, code)).status, 200)
  })

  test('gets fifty guesses from everywhere; then known devices alone need not wait', async (t) => {
    const clock = movingClock()
    const app = await startApp(t, { environment: proxied, clock })
    const someone = await enrolled(app, clock)
    const first = await verifyFrom(
      app,
      HOME,
      await challenge(app, someone),
      codeOf(someone.secret, clock),
    )
    assert.equal(first.status, 200)
    clock.move(STEP_MS)
    const tokens = await Promise.all(Array.from({ length: 7 }, () => challenge(app, someone)))
    const guesses = Array.from({ length: 70 }, (_, seed) =>
      verifyFrom(
        app,
        `203.0.113.${seed}`,
        tokens[seed % 7] as string,
        wrongCode(someone.secret, clock, seed),
      ),
    )
    const refused = tally(await Promise.all(guesses))
    assert.equal(refused[200], undefined)
    await app.database.pool.query(
      `UPDATE failed_tries SET tries = 60, locked_until = now() + interval '5 minutes'
       WHERE factor = 'totp'`,
    )
    const code = codeOf(someone.secret, clock)
    const token = await challenge(app, someone)
    assert.equal((await verifyFrom(app, '192.0.2.1', token, code)).status, 429)
    const known = { known_device_token: first.body.known_device_token as string }
    assert.equal((await verifyFrom(app, HOME, token, code, known)).status, 200)
    assert.equal(
      await count(app, `failed_tries WHERE factor = 'totp'`),
      0,
      'a success resets the count',
    )
  })
})
