/** A program signs in by a code that a person has allowed in the console. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { browser } from '../../../support/console.ts'
import {
  challenge,
  codeOf,
  enrolled,
  me,
  movingClock,
  person,
  signIn,
  verify,
} from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const clock = movingClock()

const newVerifier = (): string => randomBytes(32).toString('base64url')
const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url')

const allow = (app: TestApp, token: string, verifier: string): Promise<CallResult> =>
  browser(app).call('POST', '/authorization-codes', {
    as: as.user(token),
    body: { code_challenge: challengeOf(verifier) },
  })

const exchange = (app: TestApp, code: string, code_verifier: string): Promise<CallResult> =>
  app.call('POST', '/auth/authorization-codes/exchange', {
    body: { code, code_verifier },
    headers: { 'user-agent': 'mooring-cli/1.0 (desk)' },
  })

async function allowed(app: TestApp, token: string) {
  const verifier = newVerifier()
  const { status, body, text } = await allow(app, token, verifier)
  assert.equal(status, 201, text)
  return { verifier, code: body.code as string }
}

const assertRejected = ({ status, body, text }: CallResult): void =>
  assert.deepEqual([status, body.code], [401, 'authorization_code_rejected'], text)

suite('an authorization code', () => {
  const fresh = useTenants({ clock })

  test('gives a session of its own, which its owner sees and ends', async (t) => {
    const app = await fresh(t)
    const own = await person(app)
    const { access_token: token } = await signIn(app, own)
    const { code, verifier } = await allowed(app, token)
    const { status, body, text } = await exchange(app, code, verifier)
    assert.equal(status, 200, text)
    assert.equal((await me(app, body.access_token)).body.email, own.email)

    const list = await app.call('GET', '/auth/sessions', { as: as.user(token) })
    const session = list.body.items.find(({ current }: { current: boolean }) => !current)
    assert.deepEqual([session.user_agent, session.mfa], ['mooring-cli/1.0 (desk)', false])
    const path = `/auth/sessions/${session.id}`
    assert.equal((await app.call('DELETE', path, { as: as.user(token) })).status, 204)
    assert.equal((await me(app, body.access_token)).status, 401)
    assert.equal((await me(app, token)).status, 200)
  })

  test('is recorded by the person: when it is allowed, and when it is used', async (t) => {
    const app = await fresh(t)
    const own = await person(app)
    const { access_token: token } = await signIn(app, own)
    const { code, verifier } = await allowed(app, token)
    const { headers } = await exchange(app, code, verifier)
    const created = await sql(
      app.database,
      'SELECT action, actor_kind FROM audit_log WHERE request_id = $1',
      [headers['x-request-id']],
    )
    assert.deepEqual(created, [{ action: 'session.created', actor_kind: 'user' }])
  })

  test('gives a session to one of many callers', async (t) => {
    const app = await fresh(t)
    const other = await app.sibling()
    const { access_token: token } = await signIn(app, await person(app))
    const { code, verifier } = await allowed(app, token)
    const places = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? app : other))
    const results = await Promise.all(places.map((place) => exchange(place, code, verifier)))
    const [won, lost] = [200, 401].map((wanted) =>
      results.filter(({ status }) => status === wanted),
    )
    assert.deepEqual([won?.length, lost?.length], [1, 29])
    lost?.forEach(assertRejected)
    const list = await app.call('GET', '/auth/sessions', { as: as.user(token) })
    assert.equal(list.body.items.length, 2)
  })

  test('needs the verifier, which nobody who has seen the code knows', async (t) => {
    const app = await fresh(t)
    const { access_token: token } = await signIn(app, await person(app))
    const { code, verifier } = await allowed(app, token)
    assertRejected(await exchange(app, code, newVerifier()))
    assertRejected(await exchange(app, code, challengeOf(verifier)))
    const other = code.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))
    assertRejected(await exchange(app, other, verifier))
    assert.equal(
      (await exchange(app, code, verifier)).status,
      200,
      'the wrong attempts have not used the code up',
    )
  })

  test('is worth nothing after a minute, a sign-out or a new password', async (t) => {
    const app = await fresh(t)
    const own = await person(app)
    const { access_token: token } = await signIn(app, own)
    const late = await allowed(app, token)
    await sql(app.database, `UPDATE authorization_codes SET expires_at = now()`)
    assertRejected(await exchange(app, late.code, late.verifier))

    const changed = await allowed(app, token)
    await sql(
      app.database,
      `UPDATE users SET sign_in_version = sign_in_version + 1 WHERE id = $1`,
      [own.uuid],
    )
    assertRejected(await exchange(app, changed.code, changed.verifier))

    const left = await allowed(app, token)
    assert.equal((await app.call('POST', '/auth/logout', { as: as.user(token) })).status, 204)
    assertRejected(await exchange(app, left.code, left.verifier))
  })

  test('carries over the second factor, and the time of its proof', async (t) => {
    const app = await fresh(t)
    const someone = await enrolled(app, clock)
    const mfaToken = await challenge(app, someone)
    const { body: signedIn } = await verify(app, mfaToken, codeOf(someone.secret, clock))
    const { access_token: token } = signedIn
    const { code, verifier } = await allowed(app, token)
    clock.move(9 * 60_000)
    const { body } = await exchange(app, code, verifier)
    const list = await app.call('GET', '/auth/sessions', { as: as.user(body.access_token) })
    assert.equal(list.body.items[0].mfa, true)
    const mayAllow = await allow(app, body.access_token, newVerifier())
    assert.equal(mayAllow.status, 201, 'the proof is nine minutes old')
    clock.move(2 * 60_000)
    const again = await allow(app, body.access_token, newVerifier())
    assert.deepEqual([again.status, again.body.code], [401, 'fresh_authentication_required'])
  })
})
