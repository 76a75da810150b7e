/** POST /auth/refresh: a lost response can be had again, and a stolen token ends the session. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { statement } from '../../../support/statement.ts'
import { disableAccount } from '../../../../src/features/identity/accounts/account.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { count, me, person, refresh, signIn, tally } from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const reuses = (app: TestApp): Promise<number> =>
  count(app, `audit_log WHERE action = 'session.reuse_detected' AND workspace_id = $1`, [
    '00000000-0000-0000-0000-000000000000',
  ])

/** Lets time pass for the tokens of all sessions. */
const age = (app: TestApp, seconds: number): Promise<unknown> =>
  app.database.pool.query(
    'UPDATE user_sessions SET rotated_at = rotated_at - make_interval(secs => $1)',
    [seconds],
  )

describe('POST /auth/refresh', () => {
  test('gives new tokens, each of which works', async (t) => {
    const app = await freshTenants(t)
    const { known_device_token: _device, ...signedIn } = await signIn(app, await person(app))
    let tokens = signedIn
    for (let round = 0; round < 5; round += 1) {
      const { status, body } = await refresh(app, tokens.refresh_token)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body).sort(), Object.keys(tokens).sort())
      assert.notEqual(body.refresh_token, tokens.refresh_token)
      assert.notEqual(body.access_token, tokens.access_token)
      assert.equal((await me(app, body.access_token)).status, 200)
      tokens = body
    }
  })

  test('a hundred refreshes at once get one live successor, and no alarm is raised', async (t) => {
    const app = await freshTenants(t)
    const second = await app.sibling()
    const { refresh_token: token } = await signIn(app, await person(app))
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => refresh(index % 2 ? app : second, token)),
    )
    assert.deepEqual(tally(results), { 200: 100 })
    const successors = new Set(results.map(({ body }) => body.refresh_token))
    assert.equal(successors.size, 1)
    assert.equal(await reuses(app), 0)
    const [successor = ''] = successors
    assert.equal((await refresh(app, successor)).status, 200)
  })

  test('a lost response is repeated: the same successor, for 30 seconds', async (t) => {
    const app = await freshTenants(t)
    const { refresh_token: token } = await signIn(app, await person(app))
    const first = await refresh(app, token)
    // To the last moment the rule is tested by itself, where no time passes.
    await age(app, 20)
    const again = await refresh(app, token)
    assert.equal(again.status, 200)
    assert.equal(again.body.refresh_token, first.body.refresh_token)
    assert.equal((await me(app, again.body.access_token)).status, 200)
    assert.equal((await refresh(app, again.body.refresh_token)).status, 200)
  })

  test('after 30 seconds the old token ends the session', async (t) => {
    const app = await freshTenants(t)
    const { refresh_token: token } = await signIn(app, await person(app))
    const next = (await refresh(app, token)).body
    await age(app, 31)
    const replayed = await refresh(app, token)
    assert.equal(replayed.status, 401)
    assert.equal(replayed.body.code, 'refresh_token_reused')
    assert.equal((await refresh(app, next.refresh_token)).body.code, 'refresh_token_rejected')
    assert.equal((await me(app, next.access_token)).status, 401)
  })

  test('an old token ends the session at once when its successor was used', async (t) => {
    const app = await startApp(t)
    const second = await app.sibling()
    const { refresh_token: first } = await signIn(app, await person(app))
    const { refresh_token: middle } = (await refresh(app, first)).body
    const last = (await refresh(app, middle)).body
    assert.equal((await me(second, last.access_token)).status, 200)
    assert.equal((await refresh(app, first)).body.code, 'refresh_token_reused')
    assert.equal((await me(app, last.access_token)).status, 401)
    assert.equal((await refresh(app, last.refresh_token)).body.code, 'refresh_token_rejected')
    assert.equal((await refresh(app, middle)).body.code, 'refresh_token_rejected')
    assert.equal(await reuses(app), 1)
    assert.equal(await count(app, `user_sessions WHERE end_reason = 'refresh_token_reused'`), 1)
    const isRefused = async () => (await me(second, last.access_token)).status === 401
    await until('the other process has received the change', isRefused)
  })

  test('whichever old token of a chain comes again, the session ends', async (t) => {
    const app = await startApp(t)
    const someone = await person(app)
    const chainOf = async (length: number): Promise<string[]> => {
      const chain = [(await signIn(app, someone)).refresh_token]
      while (chain.length < length) {
        chain.push((await refresh(app, chain.at(-1) ?? '')).body.refresh_token)
      }
      return chain
    }
    for (const replayed of [0, 1, 17, 46, 47]) {
      const chain = await chainOf(50)
      assert.equal((await refresh(app, chain[replayed] ?? '')).body.code, 'refresh_token_reused')
      assert.equal((await refresh(app, chain[49] ?? '')).body.code, 'refresh_token_rejected')
    }
    assert.equal(await reuses(app), 5)
  })

  test('the workspaces of the user hear of a reuse, and the response leaves it in place', async (t) => {
    const app = await startApp(t)
    const someone = await person(app)
    await app.database.query(
      statement('test.join', `INSERT INTO memberships VALUES ($1, $2, 'member')`),
      [app.seed.uuid, someone.uuid],
    )
    const { refresh_token: token } = await signIn(app, someone)
    await refresh(app, (await refresh(app, token)).body.refresh_token)
    const key = 'refresh-0c9c9e9e-7d3d-4c5e-8f8f-3f1d6a1c2b3a'
    const replayed = await app.call('POST', '/auth/refresh', {
      body: { refresh_token: token },
      headers: { 'idempotency-key': key },
    })
    assert.equal(replayed.body.code, 'refresh_token_reused')
    const event = `events WHERE type = 'session.reuse_detected' AND data->>'user_id' = $1`
    assert.equal(await count(app, event, [someone.id]), 1)
    assert.equal(await count(app, 'user_sessions WHERE ended_at IS NOT NULL'), 1)
  })

  test('anything but a token of a live session is refused and changes nothing', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const tokens = await signIn(app, someone)
    const token = tokens.refresh_token
    const other = (await signIn(app, someone)).refresh_token
    const flipped = `${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`
    const bad = [
      flipped,
      `${token} `,
      token.slice(0, -1),
      token.toLowerCase(),
      `m${token}`,
      `mfa_${token.slice(3)}`,
      tokens.access_token,
      app.seed.platformKey,
      'rt_',
      'x',
      token.slice(0, 40) + other.slice(40),
    ]
    const before = await app.database.pool.query('SELECT * FROM user_sessions ORDER BY id')
    for (const text of bad) {
      const { status, body } = await refresh(app, text)
      assert.equal(status, 401, text)
      assert.equal(body.code, 'refresh_token_rejected')
    }
    const after = await app.database.pool.query('SELECT * FROM user_sessions ORDER BY id')
    assert.deepEqual(after.rows, before.rows)
    assert.equal((await refresh(app, token)).status, 200)
  })

  test('a refresh token is no access token', async (t) => {
    const app = await freshTenants(t)
    const { refresh_token: token } = await signIn(app, await person(app))
    const { status, body } = await app.call('GET', '/auth/me', { as: as.user(token) })
    assert.equal(status, 401)
    assert.equal(body.code, 'credential_rejected')
  })

  test('an ended, expired or disabled session is refreshed no more', async (t) => {
    const app = await startApp(t)
    const someone = await person(app)
    const [ended, expired, disabled] = [
      await signIn(app, someone),
      await signIn(app, someone),
      await signIn(app, await person(app)),
    ]
    await app.call('POST', '/auth/logout', { as: as.user(ended.access_token) })
    assert.equal((await refresh(app, ended.refresh_token)).body.code, 'refresh_token_rejected')
    await app.database.pool.query(
      'UPDATE user_sessions SET expires_at = now() WHERE ended_at IS NULL',
    )
    for (const { refresh_token: token } of [expired, disabled]) {
      assert.equal((await refresh(app, token)).body.code, 'refresh_token_rejected')
    }
    const late = await person(app)
    const { refresh_token: token } = await signIn(app, late)
    await disableAccount(app.services, late.uuid)
    assert.equal((await refresh(app, token)).body.code, 'refresh_token_rejected')
    assert.equal(await reuses(app), 0)
  })

  test('refreshing keeps a session alive for another 30 days', async (t) => {
    const app = await freshTenants(t)
    const { refresh_token: token } = await signIn(app, await person(app))
    await app.database.pool.query(
      `UPDATE user_sessions SET expires_at = now() + interval '1 minute'`,
    )
    assert.equal((await refresh(app, token)).status, 200)
    const rolled = `user_sessions WHERE expires_at > now() + interval '29 days'`
    assert.equal(await count(app, rolled), 1)
  })

  test('a replayed token ends the session, with an Idempotency-Key too', async (t) => {
    const app = await freshTenants(t)
    const { refresh_token: token } = await signIn(app, await person(app))
    const next = await refresh(app, token)
    const last = await refresh(app, next.body.refresh_token)
    const replay = await app.call('POST', '/auth/refresh', {
      headers: { 'idempotency-key': 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' },
      body: { refresh_token: token },
    })
    assert.equal(replay.body.code, 'refresh_token_reused')
    assert.equal((await refresh(app, last.body.refresh_token)).status, 401)
    assert.equal((await me(app, last.body.access_token)).status, 401)
  })
})
