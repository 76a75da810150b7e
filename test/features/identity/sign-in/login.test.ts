/**
 * POST /auth/login: a caller with the password gets a session, and an unauthenticated one learns
 * nothing.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { disableAccount } from '../../../../src/features/identity/accounts/account.ts'
import { type CallResult, startApp } from '../../../support/app.ts'
import {
  assertGuesses,
  comparable,
  count,
  endWaiting,
  logIn,
  me,
  PASSWORD,
  person,
  tally,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

/** The waiting time, but for what has passed of it. */
function assertWait({ status, headers }: CallResult, seconds: number): void {
  assert.equal(status, 429)
  const left = Number(headers['retry-after'])
  assert.ok(left <= seconds && left > seconds - 15, `${left} of ${seconds}`)
}

describe('POST /auth/login', () => {
  test('opens a session with valid tokens and their lifetimes', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { status, body, headers } = await logIn(app, someone.email)
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), [
      'access_token',
      'expires_in',
      'known_device_token',
      'refresh_token',
      'token_type',
    ])
    assert.equal(body.token_type, 'Bearer')
    assert.equal(body.expires_in, 900)
    assert.match(body.refresh_token, /^rt_/)
    assert.equal(headers['cache-control'], 'no-store')
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    assert.equal(claims.iss, 'service.console')
    assert.equal(claims.exp - claims.iat, 900)
    assert.equal(claims.sub, someone.id)
    assert.equal((await me(app, body.access_token)).body.id, someone.id)
  })

  test('the address is found in any case, and in no other form', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    await app.database.pool.query('UPDATE users SET email = $2 WHERE id = $1', [
      someone.uuid,
      'kiki.it@example.com',
    ])
    assert.equal((await logIn(app, 'KiKi.It@EXAMPLE.com')).status, 200)
    const twins = [
      ' kiki.it@example.com',
      'kiki.it@example.com ',
      'kiki.it@example.com.',
      '\u212ai\u212ai.it@example.com',
      'k\u0131ki.it@example.com',
      'K\u0130KI.it@example.com',
      'ｋｉｋｉ.it@example.com',
      'ki\u200bki.it@example.com',
      'kiki.it+tag@example.com',
      '"kiki.it"@example.com',
      'kiki.it@EXAMPLE\u3002com',
      'kiki.it@example.com\n',
    ]
    const unknown = comparable(await logIn(app, 'nobody@example.com'))
    for (const twin of twins) assert.deepEqual(comparable(await logIn(app, twin)), unknown, twin)
    assert.equal(await count(app, 'user_sessions WHERE user_id = $1', [someone.uuid]), 1)
  })

  test('unknown, wrong and disabled accounts get the same response, byte for byte', async (t) => {
    const app = await startApp(t)
    const [known, disabled] = [await person(app), await person(app)]
    await disableAccount(app.services, disabled.uuid)
    const unknown = await logIn(app, 'nobody@example.com')
    assert.equal(unknown.status, 401)
    assert.equal(unknown.body.code, 'invalid_credentials')
    assert.deepEqual(comparable(await logIn(app, known.email, 'wrong')), comparable(unknown))
    assert.deepEqual(comparable(await logIn(app, disabled.email)), comparable(unknown))
    assert.deepEqual(comparable(await logIn(app, disabled.email, 'wrong')), comparable(unknown))
    assert.equal(await count(app, `audit_log WHERE action = 'session.refused'`), 4)
  })

  test('twenty failures get the same responses for a known and an unknown address', async (t) => {
    const app = await startApp(t)
    const known = await person(app)
    const failures = async (email: string): Promise<unknown[]> => {
      const seen: CallResult[] = []
      for (let tries = 0; tries < 20; tries += 1) seen.push(await logIn(app, email, 'wrong'))
      const [first] = seen.filter(({ status }) => status === 429)
      assertWait(first as CallResult, 30)
      return seen.map(comparable)
    }
    const responses = await failures(known.email)
    assert.deepEqual(responses, await failures('nobody@example.com'))
    const statuses = (responses as { status: number }[]).map(({ status }) => status)
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(10).fill(429)])
  })

  test('after ten failures even the right password waits; then it works and clears', async (t) => {
    const app = await startApp(t)
    const { email } = await person(app)
    for (let tries = 0; tries < 10; tries += 1) await logIn(app, email, 'wrong')
    const waiting = await logIn(app, email)
    assert.equal(waiting.status, 429)
    assert.equal(waiting.body.code, 'too_many_attempts')
    const wait = waiting.headers['retry-after']
    assert.equal(waiting.body.detail, `Too many failed attempts: try again in ${wait} s.`)
    await endWaiting(app)
    assert.equal((await logIn(app, email)).status, 200)
    assert.equal(await count(app, 'failed_tries'), 0)
    for (let tries = 0; tries < 9; tries += 1) {
      assert.equal((await logIn(app, email, 'wrong')).status, 401)
    }
    assert.equal((await logIn(app, email)).status, 200)
  })

  test('each further failure waits longer, and never more than an hour', async (t) => {
    const app = await freshTenants(t)
    const { email } = await person(app)
    for (let tries = 0; tries < 10; tries += 1) await logIn(app, email, 'wrong')
    for (const seconds of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      assertWait(await logIn(app, email, 'wrong'), seconds)
      await endWaiting(app)
      assert.equal((await logIn(app, email, 'wrong')).status, 401)
    }
  })

  test('at most ten of a hundred concurrent guesses are checked', async (t) => {
    const app = await startApp(t)
    const { email, uuid } = await person(app)
    const since = performance.now()
    const guesses = Array.from({ length: 100 }, (_, index) => logIn(app, email, `guess ${index}`))
    const responses = await Promise.all(guesses)
    assertGuesses(responses, 10, since)
    const refused = `audit_log WHERE action = 'session.refused' AND resource_kind = 'user'`
    assert.equal(await count(app, refused), tally(responses)[401])
    assert.equal(await count(app, 'user_sessions WHERE user_id = $1', [uuid]), 0)
  })

  test('fifty right passwords at once are not taken for guessing', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const results = await Promise.all(Array.from({ length: 50 }, () => logIn(app, someone.email)))
    assert.deepEqual(tally(results), { 200: 50 })
    assert.equal(new Set(results.map(({ body }) => body.refresh_token)).size, 50)
  })

  test('passwords count to their last character', async (t) => {
    const app = await freshTenants(t)
    const { email, uuid } = await person(app)
    const long = `${'a'.repeat(72)}b`
    const set = async (password: string): Promise<void> => {
      const hash = await app.services.passwords.hash(password)
      await app.database.pool.query('UPDATE users SET password_hash = $2 WHERE id = $1', [
        uuid,
        hash,
      ])
    }
    await set(long)
    assert.equal((await logIn(app, email, `${'a'.repeat(72)}c`)).status, 401)
    assert.equal((await logIn(app, email, 'a'.repeat(72))).status, 401)
    assert.equal((await logIn(app, email, long)).status, 200)
    await set(' 🔑 leading space')
    assert.equal((await logIn(app, email, '🔑 leading space')).status, 401)
    assert.equal((await logIn(app, email, ' 🔑 leading space')).status, 200)
    await set('x'.repeat(1024))
    assert.equal((await logIn(app, email, 'x'.repeat(1024))).status, 200)
  })

  test('a password that is too long, or no text, is a 400 and no try', async (t) => {
    const app = await startApp(t)
    const { email } = await person(app)
    const bodies: unknown[] = [
      { email, password: 'x'.repeat(1025) },
      { email, password: 'x'.repeat(1_000_000) },
      { email, password: '' },
      { email, password: 17 },
      { email, password: [PASSWORD] },
      { email, password: { $ne: '' } },
      { email: [email], password: PASSWORD },
      { email: 'x'.repeat(321), password: PASSWORD },
      { email, password: PASSWORD, role: 'owner' },
      { email },
      `{"email":"${email}","password":"a\\u0000b"}`,
      `{"email":"${email}","password":"\\ud800"}`,
      `{"email":"${email}","password":"x","password":"${PASSWORD}"}`,
    ]
    for (const body of bodies) {
      const { status } = await app.call('POST', '/auth/login', { body })
      assert.equal(status, 400, JSON.stringify(body).slice(0, 80))
    }
    assert.equal(await count(app, 'failed_tries'), 0)
  })

  test('a hash of another cost is replaced at the next sign-in, and the session holds', async (t) => {
    const app = await freshTenants(t)
    const { email, uuid } = await person(app)
    const { hash } = await import('@node-rs/argon2')
    const other = await hash(PASSWORD, { memoryCost: 16, timeCost: 1, parallelism: 1 })
    await app.database.pool.query('UPDATE users SET password_hash = $2 WHERE id = $1', [
      uuid,
      other,
    ])
    const { status, body } = await logIn(app, email)
    assert.equal(status, 200)
    assert.equal((await me(app, body.access_token)).status, 200)
    const now = await app.database.pool.query('SELECT password_hash FROM users WHERE id = $1', [
      uuid,
    ])
    assert.match(now.rows[0].password_hash, /m=8,t=1,p=1/)
    assert.equal((await logIn(app, email)).status, 200)
  })

  test('an Idempotency-Key changes nothing: signing in again opens another session', async (t) => {
    const app = await freshTenants(t)
    const { email, uuid } = await person(app)
    const key = { 'idempotency-key': 'login-1f6b0f0e-5f43-4b53-9c57-0d7a3f7f6f11' }
    const first = await logIn(app, email, PASSWORD, key)
    const second = await logIn(app, email, PASSWORD, key)
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.notEqual(second.body.refresh_token, first.body.refresh_token)
    assert.equal(second.headers['idempotent-replayed'], undefined)
    assert.equal(await count(app, 'user_sessions WHERE user_id = $1', [uuid]), 2)
    assert.equal(await count(app, 'idempotency_keys'), 0)
  })

  test('many sign-ins at once need no second connection while they hold one', async (t) => {
    const app = await startApp(t, {
      environment: {
        MOORING_DATABASE_POOL_SIZE: '2',
        MOORING_RATE_LIMITS: 'on',
        MOORING_RATE_LIMIT_STORE: 'database',
      },
    })
    const { email } = await person(app)
    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, index) => {
        const key = { 'idempotency-key': `login-1f6b0f0e-5f43-4b53-9c57-0d7a3f7f6f1${index}` }
        return logIn(app, email, PASSWORD, key)
      }),
    )
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
  })
})
