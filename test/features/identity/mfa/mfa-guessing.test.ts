/** Guessing a second factor: counted for the account, before the guess is looked at. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startApp, type TestApp } from '../../../support/app.ts'
import {
  challenge,
  challenges,
  codeOf,
  count,
  endWaiting,
  type Enrolled,
  enrolled,
  logIn,
  maxGuesses,
  movingClock,
  type MovingClock,
  STEP_MS,
  tally,
  verify,
  wrongCode,
} from '../../../support/sign-in.ts'
import { howMany } from '../../../support/thorough.ts'

interface Fixture {
  app: TestApp
  clock: MovingClock
  someone: Enrolled
}

async function setUp(t: Parameters<typeof startApp>[0]): Promise<Fixture> {
  const clock = movingClock()
  const app = await startApp(t, { clock })
  return { app, clock, someone: await enrolled(app, clock) }
}

const checked = (app: TestApp): Promise<number> =>
  count(app, `audit_log WHERE action = 'mfa.refused'`)

const tries = async (app: TestApp, factor: string): Promise<number | undefined> => {
  const { rows } = await app.database.pool.query<{ tries: number }>(
    'SELECT tries FROM failed_tries WHERE factor = $1',
    [factor],
  )
  return rows[0]?.tries
}

describe('guessing a second factor', () => {
  test('an mfa_token allows five attempts, also with concurrent requests', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const token = await challenge(app, someone)
    const guesses = Array.from({ length: 40 }, (_, seed) =>
      verify(app, token, wrongCode(someone.secret, clock, seed)),
    )
    assert.deepEqual(tally(await Promise.all(guesses)), { 401: 40 })
    assert.equal(await checked(app), 5)
    assert.equal((await verify(app, token, codeOf(someone.secret, clock))).status, 401)
    assert.equal(
      (await verify(app, await challenge(app, someone), codeOf(someone.secret, clock))).status,
      200,
    )
  })

  test('ten guesses of many concurrent sign-ins are checked', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const tokens = await challenges(app, someone, howMany(100, 500))
    const since = performance.now()
    const guesses = tokens.flatMap((token, index) =>
      [0, 1].map((guess) =>
        verify(app, token, wrongCode(someone.secret, clock, 2 * index + guess)),
      ),
    )
    const responses = await Promise.allSettled(guesses)
    const counts = tally(
      responses.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    )
    assert.equal(counts[200], undefined)
    // So many at once may also find the service too busy, which is no look at the code; even to
    // read in time what they send, so that they are disconnected.
    const max = maxGuesses(10, since)
    assert.ok((counts[401] ?? 0) <= max && (counts[429] ?? 0) > 0, JSON.stringify(counts))
    assert.ok((await checked(app)) <= max)
    const counted = (await tries(app, 'totp')) ?? 0
    assert.ok(counted >= 10 && counted <= max, String(counted))
  })

  test('two processes count together', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const second = await app.sibling()
    const tokens = await challenges(app, someone, 30)
    await Promise.all(
      tokens.map((token, index) =>
        verify(index % 2 ? app : second, token, wrongCode(someone.secret, clock, index)),
      ),
    )
    assert.equal(await checked(app), 10)
  })

  test('while the authenticator waits the right code waits too; a recovery code works', async (t) => {
    const { app, clock, someone } = await setUp(t)
    for (let guess = 0; guess < 10; guess += 1) {
      const token = await challenge(app, someone)
      await verify(app, token, wrongCode(someone.secret, clock, guess))
    }
    const waiting = await verify(app, await challenge(app, someone), codeOf(someone.secret, clock))
    assert.equal(waiting.status, 429)
    assert.equal(waiting.body.code, 'too_many_attempts')
    assert.ok(Number(waiting.headers['retry-after']) <= 30)
    const recovery = someone.recoveryCodes[0] ?? ''
    assert.equal((await verify(app, await challenge(app, someone), recovery)).status, 200)
    await endWaiting(app)
    clock.move(STEP_MS)
    const code = codeOf(someone.secret, clock)
    assert.equal((await verify(app, await challenge(app, someone), code)).status, 200)
    assert.equal(await tries(app, 'totp'), undefined, 'a success resets the counter')
  })

  test('a right password does not clear the count of the second factor', async (t) => {
    const { app, clock, someone } = await setUp(t)
    for (let guess = 0; guess < 3; guess += 1) {
      await verify(app, await challenge(app, someone), wrongCode(someone.secret, clock, guess))
      await logIn(app, someone.email)
    }
    assert.equal(await tries(app, 'totp'), 3)
  })

  test('an attempt counts before it is checked, and when its connection is lost', async (t) => {
    const { app, clock, someone } = await setUp(t)
    const token = await challenge(app, someone)
    const holder = await app.database.connect()
    t.after(() => holder.end())
    await holder.query('BEGIN')
    await holder.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [someone.uuid])
    const guess = verify(app, token, wrongCode(someone.secret, clock))
    while ((await tries(app, 'totp')) !== 1) await new Promise((resolve) => setTimeout(resolve, 10))
    const waiting = `SELECT pid FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`
    let pid: number | undefined
    // Not in the transaction, which would see the same activity for ever.
    const { pool } = app.database
    while (pid === undefined) pid = (await pool.query<{ pid: number }>(waiting)).rows[0]?.pid
    await holder.query('SELECT pg_terminate_backend($1)', [pid])
    assert.equal((await guess).status, 503)
    await holder.query('ROLLBACK')
    assert.equal(await tries(app, 'totp'), 1)
    assert.equal(await checked(app), 0)
  })

  test('after a hundred failures in a row the authenticator is out until it is replaced', async (t) => {
    const { app, clock, someone } = await setUp(t)
    await app.database.pool.query('DELETE FROM failed_tries')
    await verify(app, await challenge(app, someone), wrongCode(someone.secret, clock))
    await app.database.pool.query(`UPDATE failed_tries SET tries = 100 WHERE factor = 'totp'`)
    const { body } = await logIn(app, someone.email)
    assert.deepEqual(body.mfa_methods, ['recovery_code'])
    const code = codeOf(someone.secret, clock)
    const refused = await verify(app, body.mfa_token, code)
    assert.equal(refused.status, 401)
    assert.match(refused.body.detail, /recovery code/)
    const [first = '', second = ''] = someone.recoveryCodes
    const session = await verify(app, await challenge(app, someone), first)
    assert.equal(session.status, 200)
    await endWaiting(app)
    assert.equal((await verify(app, await challenge(app, someone), code)).status, 401)
    const bearer = { authorization: `Bearer ${session.body.access_token}` }
    const removed = await app.call('DELETE', '/auth/mfa/totp', {
      as: bearer,
      body: { code: second },
    })
    assert.equal(removed.status, 204, removed.text)
    const begun = await app.call('POST', '/auth/mfa/totp', { as: bearer })
    await app.call('POST', '/auth/mfa/totp/confirm', {
      as: bearer,
      body: { code: codeOf(begun.body.secret, clock) },
    })
    clock.move(STEP_MS)
    const fresh = codeOf(begun.body.secret, clock)
    assert.equal((await verify(app, await challenge(app, someone), fresh)).status, 200)
  })
})
