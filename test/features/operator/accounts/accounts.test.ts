/** Operators help people with their accounts, and cannot become one another by that. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { mailTo } from '../../../support/outbox.ts'
import { seedOperator, seedUser } from '../../../support/seed.ts'
import { enrolled, logIn, movingClock, person, signIn } from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { operatorOf, type Operator } from '../operators.ts'

const clock = movingClock()

describe('an operator', () => {
  const get = useApp({ clock })
  let app: TestApp
  let operator: Operator

  before(async () => {
    app = get()
    operator = await operatorOf(app)
  })

  test('finds accounts by part of the address, page by page', async () => {
    const part = newUuid().slice(-12)
    for (const at of [1, 2, 3]) {
      const { uuid } = await seedUser(app.app)
      const text = 'UPDATE users SET email = $2 WHERE id = $1'
      await sql(app.database, text, [uuid, `${at}-${part}@example.com`])
    }
    const first = (await operator.ok('GET', `/accounts?search=${part.toUpperCase()}&limit=2`)).body
    const { next_cursor: next } = first
    const second = (
      await operator.ok('GET', `/accounts?search=${part.toUpperCase()}&limit=2&cursor=${next}`)
    ).body
    assert.equal(second.next_cursor, null)
    const found = [...first.items, ...second.items].map(({ email }: { email: string }) => email)
    assert.deepEqual(
      found,
      [1, 2, 3].map((at) => `${at}-${part}@example.com`),
    )
  })

  test('disables and enables an account, whose sessions end, and keeps the own one', async () => {
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const disabled = await operator.ok('POST', `/accounts/${someone.id}/disable`)
    await operator.assertRecorded(disabled, 'account.disabled')
    assert.deepEqual(disabled.body, { ownerless: [], keys: [] })
    await until('the session has ended', async () => {
      return (await app.call('GET', '/auth/me', { as: as.user(token) })).status === 401
    })
    const link = await operator.call('POST', `/accounts/${someone.id}/password-link`)
    assert.equal(link.body.code, 'invalid_transition')
    await operator.assertRecorded(
      await operator.ok('POST', `/accounts/${someone.id}/enable`),
      'account.enabled',
    )
    assert.equal((await logIn(app, someone.email)).status, 200)
    const own = await operator.call('POST', `/accounts/${operator.user.id}/disable`)
    assert.deepEqual([own.status, own.body.code], [409, 'invalid_transition'])
    const nobody = await operator.call('GET', `/accounts/${formatId('usr', newUuid())}`)
    assert.deepEqual([nobody.status, nobody.body.code], [404, 'account_not_found'])
  })

  test('removes the authenticator of a person who has lost it', async () => {
    const someone = await enrolled(app, clock)
    const removed = await operator.ok('DELETE', `/accounts/${someone.id}/factors`)
    await operator.assertRecorded(removed, 'mfa.removed')
    const { body } = await operator.ok('GET', `/accounts/${someone.id}`)
    assert.deepEqual([body.authenticator, body.second_factor], [false, false])
    const [mail] = await mailTo(app, someone.email)
    assert.match(mail?.subject ?? '', /authenticator was removed/)
    const ended = await operator.ok('DELETE', `/accounts/${someone.id}/sessions`)
    await operator.assertRecorded(ended, 'account.sessions_ended')
  })

  test('cannot become another operator', async () => {
    const { id } = await seedOperator(app.app)
    for (const [method, path] of [
      ['POST', 'password-link'],
      ['DELETE', 'factors'],
    ] as const) {
      const { status, body } = await operator.call(method, `/accounts/${id}/${path}`)
      assert.deepEqual([status, body.code], [409, 'invalid_transition'])
      assert.match(body.detail, /mooring accounts reset-password/)
    }
  })

  test('without a mail server, hands on a link that sets a password, once', async () => {
    const email = `${newUuid()}@example.com`
    const made = await operator.ok('POST', '/accounts', { email, name: 'Grace' })
    await operator.assertRecorded(made, 'account.created', 'account.password_link_issued')
    const again = await operator.call('POST', '/accounts', { email })
    assert.deepEqual([again.status, again.body.code], [400, 'invalid_request'])
    const token = String(made.body.url).split('#token=')[1]
    const body = { token, password: 'nineteen copper lanterns' }
    const confirm = () => app.call('POST', '/console/api/password-resets/confirm', { body })
    assert.equal((await confirm()).status, 204)
    assert.equal((await confirm()).body.code, 'link_not_found')
    assert.equal((await logIn(app, email, body.password)).status, 200)
    const path = `/accounts/${made.body.id}/password-link`
    for (let link = 0; link < 4; link += 1)
      assert.equal((await operator.ok('POST', path)).body.mailed, false)
    const { body: refusal } = await operator.call('POST', path)
    assert.equal(refusal.code, 'limit_reached')
    assert.deepEqual(refusal.limit, { name: 'password_links', value: 5 })
  })
})
