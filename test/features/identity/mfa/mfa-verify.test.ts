/** POST /auth/mfa/verify: no session without both factors, and each factor is valid once. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import {
  challenge,
  challenges,
  codeOf,
  count,
  endWaiting,
  type Enrolled,
  enrolled,
  logIn,
  me,
  movingClock,
  type MovingClock,
  person,
  refresh,
  signIn,
  STEP_MS,
  tally,
  verify,
  wrongCode,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

interface Fixture {
  app: TestApp
  clock: MovingClock
  someone: Enrolled
}

const clock = movingClock()
const freshTenants = useTenants({ clock })

async function setUp(t: TestContext): Promise<Fixture> {
  const app = await freshTenants(t)
  return { app, clock, someone: await enrolled(app, clock) }
}

/** Sessions alongside the one in which the authenticator was enrolled. */
const sessions = async (app: TestApp, { uuid }: Enrolled): Promise<number> =>
  (await count(app, 'user_sessions WHERE user_id = $1', [uuid])) - 1

describe('POST /auth/mfa/verify', () => {
  test('a right password alone opens no session', async (t) => {
    const { app, someone } = await setUp(t)
    const before = await count(app, 'user_sessions')
    const { status, body } = await logIn(app, someone.email)
    assert.equal(status, 200)
    assert.deepEqual(
      { ...body, mfa_token: 'x' },
      {
        mfa_required: true,
        mfa_token: 'x',
        mfa_methods: ['totp', 'recovery_code'],
        expires_in: 300,
      },
    )
    assert.equal(await count(app, 'user_sessions'), before)
  })

  test('a sign-in locks the account first, in the same order as changes of the account', async (t) => {
    const { app, someone } = await setUp(t)
    const holder = await app.database.connect()
    t.after(() => holder.end())
    await holder.query(`BEGIN; SET LOCAL lock_timeout = '500ms'`)
    await holder.query('UPDATE users SET name = name WHERE id = $1', [someone.uuid])
    const waiting = logIn(app, someone.email)
    const blocked = `pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await until('the sign-in waits', async () => (await count(app, blocked)) > 0)
    await holder.query('DELETE FROM failed_tries; COMMIT')
    assert.equal((await waiting).status, 200)
  })

  test('password and code open a session', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const token = await challenge(app, someone)
    const { status, body } = await verify(app, token, codeOf(someone.secret, clock))
    assert.equal(status, 200)
    assert.equal(body.expires_in, 900)
    assert.equal((await me(app, body.access_token)).body.mfa_enabled, true)
    assert.equal((await refresh(app, body.refresh_token)).status, 200)
  })

  test('the mfa_token is accepted only for the second factor', async (t) => {
    const { app, someone } = await setUp(t)
    const token = await challenge(app, someone)
    assert.equal((await me(app, token)).status, 401)
    assert.equal((await refresh(app, token)).body.code, 'refresh_token_rejected')
    const logout = await app.call('POST', '/auth/logout', { as: as.user(token) })
    assert.equal(logout.status, 401)
    const other = await signIn(app, await person(app))
    for (const text of [other.refresh_token, other.access_token, 'mfa_', 'x', `${token}0`]) {
      assert.equal((await verify(app, text, '123456')).body.code, 'mfa_code_rejected', text)
    }
    assert.equal(await sessions(app, someone), 0)
  })

  test("another account's code does not fit", async (t) => {
    const { app, clock, someone } = await setUp(t)
    const other = await enrolled(app, clock)
    const token = await challenge(app, someone)
    for (const code of [codeOf(other.secret, clock), other.recoveryCodes[0] ?? '']) {
      assert.equal((await verify(app, token, code)).status, 401)
    }
    assert.equal(await sessions(app, someone), 0)
  })

  test('the code of this step and of the one before are taken, no others', async (t) => {
    const { app, clock } = await setUp(t)
    for (const [steps, status] of [
      [-3, 401],
      [-2, 401],
      [-1, 200],
      [0, 200],
      [1, 401],
      [2, 401],
      [3, 401],
    ] as const) {
      const someone = await enrolled(app, clock)
      clock.move(5 * STEP_MS)
      const token = await challenge(app, someone)
      const code = codeOf(someone.secret, clock, steps)
      assert.equal((await verify(app, token, code)).status, status, `${steps}`)
    }
  })

  test('two hundred uses of one code at once open exactly one session', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const tokens = await challenges(app, someone, 200)
    const code = codeOf(someone.secret, clock)
    const results = await Promise.all(tokens.map((token) => verify(app, token, code)))
    assert.equal(tally(results)[200], 1)
    assert.equal(await sessions(app, someone), 1)
    await endWaiting(app)
    assert.equal((await verify(app, await challenge(app, someone), code)).status, 401)
  })

  test('two hundred uses of one mfa_token at once open exactly one session', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const token = await challenge(app, someone)
    const codes = [codeOf(someone.secret, clock), ...someone.recoveryCodes]
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => verify(app, token, codes[index % 11] ?? '')),
    )
    assert.equal(tally(results)[200], 1)
    assert.equal(await sessions(app, someone), 1)
    const left = await count(app, 'user_recovery_codes WHERE user_id = $1', [someone.uuid])
    assert.ok(left >= 9, 'a code that opened no session is not used up')
  })

  test('a code and earlier codes are refused after its use, even if the clock jumps', async (t) => {
    const { app, clock, someone } = await setUp(t)
    clock.move(4 * STEP_MS)
    const [earlier, now] = [codeOf(someone.secret, clock, -1), codeOf(someone.secret, clock)]
    assert.equal((await verify(app, await challenge(app, someone), now)).status, 200)
    const token = await challenge(app, someone)
    assert.equal((await verify(app, token, now)).status, 401)
    assert.equal((await verify(app, token, earlier)).status, 401)
    clock.move(-2 * STEP_MS)
    assert.equal((await verify(app, token, codeOf(someone.secret, clock))).status, 401)
    clock.move(3 * STEP_MS)
    assert.equal((await verify(app, token, codeOf(someone.secret, clock))).status, 200)
  })

  test('other forms of a code are refused', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const code = codeOf(someone.secret, clock)
    const wide = Array.from(code, (digit) => String.fromCodePoint(0xff10 + Number(digit))).join('')
    const variants = [
      ` ${code}`,
      `${code} `,
      `+${code}`,
      `0${code}`,
      wide,
      `${code}\n`,
      `${code}.0`,
    ]
    for (const variant of variants) {
      const { status } = await verify(app, await challenge(app, someone), variant)
      assert.equal(status, 401, JSON.stringify(variant))
    }
    assert.equal((await verify(app, await challenge(app, someone), code)).status, 200)
  })

  test('ten recovery codes, each used many times at once, open ten sessions', async (t) => {
    const { app, someone } = await setUp(t)
    for (const [index, code] of someone.recoveryCodes.entries()) {
      const tokens = await challenges(app, someone, index === 0 ? 200 : 30)
      const results = await Promise.all(tokens.map((token) => verify(app, token, code)))
      assert.equal(tally(results)[200], 1)
      assert.equal(await sessions(app, someone), index + 1)
      await endWaiting(app)
    }
    const { body } = await logIn(app, someone.email)
    assert.deepEqual(body.mfa_methods, ['totp'])
  })

  test('a recovery code may be typed in other ways', async (t) => {
    const { app, someone } = await setUp(t)
    const [first = '', second = ''] = someone.recoveryCodes
    for (const typed of [first.toLowerCase(), second.replaceAll('-', ' ')]) {
      assert.equal((await verify(app, await challenge(app, someone), typed)).status, 200)
    }
  })

  test('an mfa_token is valid for five minutes, and ends with a change of the password', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const [old, waiting] = [await challenge(app, someone), await challenge(app, someone)]
    await app.database.pool.query(
      `UPDATE mfa_challenges SET expires_at = now() WHERE id =
       (SELECT id FROM mfa_challenges WHERE user_id = $1 ORDER BY id LIMIT 1)`,
      [someone.uuid],
    )
    assert.equal((await verify(app, old, codeOf(someone.secret, clock))).status, 401)
    const session = await verify(app, await challenge(app, someone), codeOf(someone.secret, clock))
    const changed = await app.call('POST', '/auth/password', {
      as: as.user(session.body.access_token),
      body: { current_password: 'seventeen brown kettles', new_password: 'eighteen blue pans' },
    })
    assert.equal(changed.status, 204, changed.text)
    clock.move(STEP_MS)
    assert.equal((await verify(app, waiting, codeOf(someone.secret, clock))).status, 401)
  })

  test('a wrong code is the same refusal as a wrong token', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const token = await challenge(app, someone)
    const wrong = await verify(app, token, wrongCode(someone.secret, clock))
    const unknown = await verify(app, 'mfa_unknown', '123456')
    assert.equal(wrong.status, unknown.status)
    assert.equal(wrong.body.code, unknown.body.code)
    assert.equal(wrong.body.detail, unknown.body.detail)
  })
})
