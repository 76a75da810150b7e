/**
 * The tries that count: all that are looked at, whatever becomes of their request, and no others.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PASSWORD_COST } from '../../../../src/platform/access/passwords.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import {
  challenge,
  count,
  enrolled,
  logIn,
  movingClock,
  PASSWORD,
  person,
  wrongCode,
} from '../../../support/sign-in.ts'

const tries = async (app: TestApp, factor: string): Promise<number> => {
  const { rows } = await app.database.pool.query<{ tries: number }>(
    'SELECT tries FROM failed_tries WHERE factor = $1',
    [factor],
  )
  return rows[0]?.tries ?? 0
}

describe('a try counts', () => {
  test('although its request is refused: a password', async (t) => {
    const app = await startApp(t)
    const { email } = await person(app)
    for (let guess = 1; guess <= 3; guess += 1) {
      assert.equal((await logIn(app, email, 'wrong')).status, 401)
      assert.equal(await tries(app, 'password'), guess)
    }
  })

  test('although its request is refused: a second factor', async (t) => {
    const clock = movingClock()
    const app = await startApp(t, { clock })
    const someone = await enrolled(app, clock)
    const token = await challenge(app, someone)
    for (let guess = 1; guess <= 3; guess += 1) {
      const body = { mfa_token: token, code: wrongCode(someone.secret, clock, guess) }
      const { status } = await app.call('POST', '/auth/mfa/verify', { body })
      assert.equal(status, 401)
      assert.equal(await tries(app, 'totp'), guess)
    }
    assert.equal(await count(app, `audit_log WHERE action = 'mfa.refused'`), 3)
    assert.equal(await count(app, 'mfa_challenges WHERE tries = 3'), 1)
  })
})

describe('a try does not count', () => {
  test('when the service was too busy to check it', async (t) => {
    const app = await startApp(t, { passwordCost: PASSWORD_COST })
    const { email } = await person(app)
    const stop = new AbortController()
    const work = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await app.services.passwords.verify(undefined, 'x').catch(() => {})
        await new Promise(setImmediate)
      }
    }
    const others = Array.from({ length: 300 }, work)
    try {
      let status = 0
      for (let round = 0; round < 100 && status !== 503; round += 1) {
        status = (await logIn(app, email)).status
        assert.ok(status === 200 || status === 503, `${status}`)
        assert.equal(await tries(app, 'password'), 0)
      }
      assert.equal(status, 503)
    } finally {
      stop.abort()
      await Promise.all(others)
    }
    assert.equal((await logIn(app, email, PASSWORD)).status, 200)
  })
})
