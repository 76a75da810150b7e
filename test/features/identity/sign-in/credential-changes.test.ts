/** The effects of a change of a password or a factor: a mail, and the end of other sessions. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { mailTo } from '../../../support/outbox.ts'
import {
  challenge,
  codeOf,
  enrolled,
  me,
  movingClock,
  PASSWORD,
  person,
  type Person,
  signIn,
  STEP_MS,
  tally,
  verify,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const clock = movingClock()
const freshTenants = useTenants({ clock })
const NEW = 'eleven grey umbrellas'

const changePassword = (app: TestApp, token: string, more: object = {}): Promise<CallResult> =>
  app.call('POST', '/auth/password', {
    as: as.user(token),
    body: { current_password: PASSWORD, new_password: NEW, ...more },
  })

const subjects = async (app: TestApp, { email }: Person): Promise<string[]> =>
  (await mailTo(app, email)).map(({ subject }) => subject)

/** An account with an authenticator, and the token of one of its sessions. */
async function enrolledSession(app: TestApp) {
  const someone = await enrolled(app, clock)
  const token = async (): Promise<string> => {
    const done = await verify(app, await challenge(app, someone), codeOf(someone.secret, clock))
    assert.equal(done.status, 200, done.text)
    clock.move(STEP_MS)
    return done.body.access_token as string
  }
  return { someone, token }
}

describe('a changed password', () => {
  test('ends the other sessions unless they are to stay, and says how many', async (t) => {
    const app = await freshTenants(t)
    for (const [more, status, survivors] of [
      [{}, 204, false],
      [{ end_other_sessions: true }, 200, false],
      [{ end_other_sessions: false }, 200, true],
    ] as const) {
      const someone = await person(app)
      const [own, other, third] = [
        await signIn(app, someone),
        await signIn(app, someone),
        await signIn(app, someone),
      ].map((tokens) => tokens.access_token) as [string, string, string]
      const changed = await changePassword(app, own, more)
      assert.equal(changed.status, status, changed.text)
      if (status === 200) assert.equal(changed.body.sessions_ended, survivors ? 0 : 2)
      assert.equal((await me(app, own)).status, 200)
      for (const token of [other, third]) {
        assert.equal((await me(app, token)).status, survivors ? 200 : 401)
      }
    }
  })

  test('is mailed to the account, once, without a secret', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const results = await Promise.all(Array.from({ length: 10 }, () => changePassword(app, token)))
    assert.equal(tally(results)[204], 1, JSON.stringify(tally(results)))
    const mails = await mailTo(app, someone.email)
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ['The password was changed (Mooring)'],
    )
    assert.ok(!mails[0]?.text?.includes(NEW))
    assert.match(mails[0]?.text ?? '', /by a request from 127\.0\.0\.1/)
  })

  test('is refused if it is too short or derived from the address, and no mail is sent', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    for (const new_password of ['fourteen chars', someone.email, 'MooringMooring2026']) {
      const refused = await changePassword(app, token, { new_password })
      assert.equal(refused.status, 400, new_password)
      assert.equal(refused.body.errors[0].pointer, '/new_password')
    }
    assert.deepEqual(await subjects(app, someone), [])
    assert.equal((await changePassword(app, token)).status, 204)
  })

  test('may have 12 characters alongside an authenticator', async (t) => {
    const app = await freshTenants(t)
    const { token } = await enrolledSession(app)
    const own = await token()
    assert.equal((await changePassword(app, own, { new_password: 'twelve chars' })).status, 204)
  })
})

describe('a changed second factor', () => {
  test('ends the other sessions when enrolled, unless they are to stay, and is mailed', async (t) => {
    const app = await freshTenants(t)
    for (const stay of [false, true]) {
      const someone = await person(app)
      const { access_token: own } = await signIn(app, someone)
      const { access_token: other } = await signIn(app, someone)
      const begun = await app.call('POST', '/auth/mfa/totp', { as: as.user(own) })
      const confirmed = await app.call('POST', '/auth/mfa/totp/confirm', {
        as: as.user(own),
        body: {
          code: codeOf(begun.body.secret, clock),
          ...(stay && { end_other_sessions: false }),
        },
      })
      assert.equal(confirmed.body.sessions_ended, stay ? 0 : 1, confirmed.text)
      assert.equal((await me(app, own)).status, 200)
      assert.equal((await me(app, other)).status, stay ? 200 : 401)
      assert.deepEqual(await subjects(app, someone), ['An authenticator was enrolled (Mooring)'])
    }
  })

  test('ends the others when removed, none when its codes are replaced and they stay, and is mailed', async (t) => {
    const app = await freshTenants(t)
    const { someone, token } = await enrolledSession(app)
    const [own, other] = [await token(), await token()]
    const send = (method: string, path: string, more: object) =>
      app.call(method, path, {
        as: as.user(own),
        body: { code: codeOf(someone.secret, clock), ...more },
      })
    const renewed = await send('POST', '/auth/mfa/recovery-codes', { end_other_sessions: false })
    assert.deepEqual([renewed.status, renewed.body.sessions_ended], [200, 0], renewed.text)
    assert.equal((await me(app, other)).status, 200)
    clock.move(STEP_MS)
    const removed = await send('DELETE', '/auth/mfa/totp', { end_other_sessions: true })
    // The other one, and the one in which it was enrolled.
    assert.deepEqual([removed.status, removed.body.sessions_ended], [200, 2], removed.text)
    assert.equal((await me(app, other)).status, 401)
    assert.deepEqual(await subjects(app, someone), [
      'The authenticator was removed (Mooring)',
      'The recovery codes were replaced (Mooring)',
      'An authenticator was enrolled (Mooring)',
    ])
  })
})
