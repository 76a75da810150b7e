/** Sessions end at once, in every process: by logging out, from a list, with the password. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  disableAccount,
  enableAccount,
} from '../../../../src/features/identity/accounts/account.ts'
import { newUuid, formatId } from '../../../../src/platform/lib/ids.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { mailTo } from '../../../support/outbox.ts'
import {
  assertGuesses,
  count,
  logIn,
  me,
  PASSWORD,
  person,
  refresh,
  signIn,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

/** The other process has heard of it too. */
const refusedBy = (app: TestApp, token: string): Promise<unknown> =>
  until('the session is refused', async () => (await me(app, token)).status === 401)

describe('POST /auth/logout', () => {
  test('ends the session for the very next request, and in another process', async (t) => {
    const app = await freshTenants(t)
    const second = await app.sibling()
    const tokens = await signIn(app, await person(app))
    assert.equal((await me(app, tokens.access_token)).status, 200)
    assert.equal((await me(second, tokens.access_token)).status, 200)
    const out = await app.call('POST', '/auth/logout', { as: as.user(tokens.access_token) })
    assert.equal(out.status, 204)
    const refused = await me(app, tokens.access_token)
    assert.equal(refused.status, 401)
    assert.equal(refused.body.code, 'credential_rejected')
    assert.equal((await refresh(app, tokens.refresh_token)).status, 401)
    await refusedBy(second, tokens.access_token)
  })

  test('leaves the other sessions of the account alone', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const [one, other] = [await signIn(app, someone), await signIn(app, someone)]
    await app.call('POST', '/auth/logout', { as: as.user(one.access_token) })
    assert.equal((await me(app, other.access_token)).status, 200)
    assert.equal((await refresh(app, other.refresh_token)).status, 200)
  })
})

describe('/auth/sessions', () => {
  test('lists the live sessions of the caller, newest first, in pages', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    await signIn(app, await person(app))
    const sessions = [
      await signIn(app, someone),
      await signIn(app, someone),
      (await logIn(app, someone.email, PASSWORD, { 'user-agent': 'tablet' })).body,
    ]
    const credential = as.user(sessions[1].access_token)
    const first = await app.call('GET', '/auth/sessions?limit=2', { as: credential })
    assert.equal(first.status, 200)
    assert.equal(first.body.items.length, 2)
    assert.equal(first.body.items[0].user_agent, 'tablet')
    assert.equal(first.body.items[0].current, false)
    assert.equal(first.body.items[1].current, true)
    assert.equal(first.body.items[1].mfa, false)
    const { next_cursor: cursor } = first.body
    const rest = await app.call('GET', `/auth/sessions?cursor=${cursor}`, { as: credential })
    assert.equal(rest.body.items.length, 1)
    assert.equal(rest.body.next_cursor, null)
    const outsider = await signIn(app, await person(app))
    const stolen = await app.call('GET', `/auth/sessions?cursor=${cursor}`, {
      as: as.user(outsider.access_token),
    })
    assert.equal(stolen.body.code, 'invalid_cursor')
  })

  test('a session can be ended from another, and ending it again is the same success', async (t) => {
    const app = await startApp(t)
    const someone = await person(app)
    const [lost, mine] = [await signIn(app, someone), await signIn(app, someone)]
    const credential = as.user(mine.access_token)
    const { body } = await app.call('GET', '/auth/sessions', { as: credential })
    const id = body.items.find((item: { current: boolean }) => !item.current).id
    for (let time = 0; time < 2; time += 1) {
      const ended = await app.call('DELETE', `/auth/sessions/${id}`, { as: credential })
      assert.equal(ended.status, 204)
    }
    assert.equal((await me(app, lost.access_token)).status, 401)
    assert.equal((await refresh(app, lost.refresh_token)).status, 401)
    assert.equal((await me(app, mine.access_token)).status, 200)
    assert.equal(await count(app, `audit_log WHERE action = 'session.ended'`), 1)
  })

  test("another account's session is a 404", async (t) => {
    const app = await freshTenants(t)
    const [one, other] = [
      await signIn(app, await person(app)),
      await signIn(app, await person(app)),
    ]
    const { body } = await app.call('GET', '/auth/sessions', { as: as.user(other.access_token) })
    const ids = [body.items[0].id, formatId('ses', newUuid()), formatId('usr', newUuid()), 'x']
    for (const id of ids) {
      const { status, body } = await app.call('DELETE', `/auth/sessions/${id}`, {
        as: as.user(one.access_token),
      })
      assert.equal(status, 404)
      assert.equal(body.code, 'session_not_found')
    }
    assert.equal((await me(app, other.access_token)).status, 200)
  })
})

describe('POST /auth/password', () => {
  test('needs the old password, ends the other sessions, and keeps this one', async (t) => {
    const app = await freshTenants(t)
    const second = await app.sibling()
    const someone = await person(app)
    const [mine, other] = [await signIn(app, someone), await signIn(second, someone)]
    assert.equal((await me(second, other.access_token)).status, 200)
    const change = (current: string, next: string) =>
      app.call('POST', '/auth/password', {
        as: as.user(mine.access_token),
        body: { current_password: current, new_password: next },
      })
    assert.equal((await change('not it', 'nineteen green pots')).body.code, 'invalid_credentials')
    assert.equal((await me(app, other.access_token)).status, 200)
    assert.equal((await change(PASSWORD, 'nineteen green pots')).status, 204)
    assert.equal((await me(app, mine.access_token)).status, 200)
    assert.equal((await refresh(app, mine.refresh_token)).status, 200)
    assert.equal((await me(app, other.access_token)).status, 401)
    assert.equal((await refresh(app, other.refresh_token)).status, 401)
    assert.equal((await logIn(app, someone.email)).status, 401)
    assert.equal((await logIn(app, someone.email, 'nineteen green pots')).status, 200)
    await refusedBy(second, other.access_token)
  })

  test('refuses a weak password', async (t) => {
    const app = await freshTenants(t)
    const { access_token: token } = await signIn(app, await person(app))
    for (const weak of ['password', 'qwertyuiop', 'short', '12345678']) {
      const { status, body } = await app.call('POST', '/auth/password', {
        as: as.user(token),
        body: { current_password: PASSWORD, new_password: weak },
      })
      assert.equal(status, 400, weak)
      assert.match(body.detail, /^\/new_password (?:must have|is) [^.]+\.$/)
    }
  })

  test('says the same of every password that is too short', async (t) => {
    const app = await freshTenants(t)
    const { access_token: token } = await signIn(app, await person(app))
    for (const new_password of ['short1234', 'twelve chars']) {
      const { status, body } = await app.call('POST', '/auth/password', {
        as: as.user(token),
        body: { current_password: PASSWORD, new_password },
      })
      assert.equal(status, 400, new_password)
      assert.match(body.detail, /must have at least 15 characters, or 12 with an authenticator/)
    }
  })

  test('refuses the current password as the new one', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const { status, body } = await app.call('POST', '/auth/password', {
      as: as.user(token),
      body: { current_password: PASSWORD, new_password: PASSWORD },
    })
    assert.equal(status, 400)
    assert.match(body.detail, /^\/new_password must differ from the present password\.$/)
    assert.deepEqual(await mailTo(app, someone.email), [])
    assert.equal((await logIn(app, someone.email)).status, 200)
  })

  test('guesses of the old password count for the session, and delay no sign-in', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const since = performance.now()
    const guesses = Array.from({ length: 20 }, (_, guess) =>
      app.call('POST', '/auth/password', {
        as: as.user(token),
        body: { current_password: `guess ${guess}`, new_password: 'nineteen green pots' },
      }),
    )
    assertGuesses(await Promise.all(guesses), 10, since)
    assert.equal((await logIn(app, someone.email)).status, 200)
  })

  test('one of two changes at once wins, and its password is the one that works', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const sessions = [await signIn(app, someone), await signIn(app, someone)]
    const passwords = ['nineteen green pots', 'twenty yellow cups']
    const results = await Promise.all(
      sessions.map((session, index) =>
        app.call('POST', '/auth/password', {
          as: as.user(session.access_token),
          body: { current_password: PASSWORD, new_password: passwords[index] },
        }),
      ),
    )
    const winner = results.findIndex(({ status }) => status === 204)
    assert.equal(results.filter(({ status }) => status === 204).length, 1)
    assert.equal((await logIn(app, someone.email, passwords[winner])).status, 200)
    assert.equal((await logIn(app, someone.email, passwords[1 - winner])).status, 401)
    assert.equal((await me(app, sessions[winner]?.access_token ?? '')).status, 200)
    assert.equal((await me(app, sessions[1 - winner]?.access_token ?? '')).status, 401)
  })

  test('a sign-in in progress with the old password opens no session after it', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const [changed, ...logins] = await Promise.all([
      app.call('POST', '/auth/password', {
        as: as.user(token),
        body: { current_password: PASSWORD, new_password: 'nineteen green pots' },
      }),
      ...Array.from({ length: 30 }, () => logIn(app, someone.email)),
    ])
    assert.equal(changed.status, 204)
    for (const { status, body } of logins) {
      if (status === 200) assert.equal((await me(app, body.access_token)).status, 401)
    }
    assert.equal(
      await count(app, 'user_sessions WHERE user_id = $1 AND ended_at IS NULL', [someone.uuid]),
      1,
    )
  })
})

describe('a disabled account', () => {
  test('is refused by every process, and is in again by signing in after it was enabled', async (t) => {
    const app = await freshTenants(t)
    const second = await app.sibling()
    const someone = await person(app)
    const tokens = await signIn(app, someone)
    assert.equal((await me(second, tokens.access_token)).status, 200)
    await disableAccount(app.services, someone.uuid)
    assert.equal((await me(app, tokens.access_token)).status, 401)
    await refusedBy(second, tokens.access_token)
    await enableAccount(app.services, someone.uuid)
    assert.equal((await me(app, tokens.access_token)).status, 401)
    assert.equal((await logIn(app, someone.email)).status, 200)
  })
})
