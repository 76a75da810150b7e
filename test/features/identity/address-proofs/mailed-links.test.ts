/** The links that people get by mail: each works once, and reveals nothing. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { browser } from '../../../support/console.ts'
import { mailTo } from '../../../support/outbox.ts'
import {
  enrolled,
  logIn,
  me,
  movingClock,
  PASSWORD,
  person,
  signIn,
  tally,
} from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const NEW_PASSWORD = 'nineteen copper lanterns'
const newAddress = (): string => `${randomBytes(6).toString('hex')}@example.com`

const isGone = ({ status, body }: CallResult): void =>
  assert.deepEqual([status, body.code], [404, 'link_not_found'])

/** The token of a page in the mails to an address, once it has come. */
async function tokenFor(app: TestApp, address: string, page: string): Promise<string> {
  let token: string | undefined
  await until('the mail', async () => {
    for (const { text } of await mailTo(app, address)) {
      token ??= new RegExp(`/${page}#token=(link_\\w+)`).exec(text ?? '')?.[1]
    }
    return token !== undefined
  })
  return token as string
}

const post = (app: TestApp, path: string, body: object, token?: string) =>
  browser(app).call('POST', path, { body, ...(token !== undefined && { as: as.user(token) }) })

const subjectsTo = async (app: TestApp, address: string): Promise<string[]> =>
  (await mailTo(app, address)).map(({ subject }) => subject)

const expire = (app: TestApp, email: string) =>
  sql(app.database, `UPDATE one_time_links SET expires_at = now() WHERE email = $1`, [email])

describe('a lost password', () => {
  const clock = movingClock()
  const get = useApp({ clock })
  const ask = (email: string) => post(get(), '/password-resets', { email })
  const confirm = (token: string, password = NEW_PASSWORD) =>
    post(get(), '/password-resets/confirm', { token, password })

  test('is replaced by a mailed link; all sessions end, and the person is notified', async () => {
    const someone = await person(get())
    const session = await signIn(get(), someone)
    assert.equal((await ask(someone.email.toUpperCase())).status, 202)
    const token = await tokenFor(get(), someone.email, 'reset')
    assert.equal((await confirm(token, 'short')).body.errors[0].pointer, '/password')
    assert.equal((await confirm(token)).status, 204)
    assert.equal((await me(get(), session.access_token)).status, 401)
    assert.equal((await logIn(get(), someone.email)).status, 401)
    assert.equal((await logIn(get(), someone.email, NEW_PASSWORD)).status, 200)
    assert.match((await subjectsTo(get(), someone.email)).join(), /The password was changed/)
    isGone(await confirm(token))
  })

  test('is replaced by exactly one of many concurrent callers', async () => {
    const someone = await person(get())
    await ask(someone.email)
    const token = await tokenFor(get(), someone.email, 'reset')
    const all = await Promise.all(
      Array.from({ length: 8 }, (_none, at) => confirm(token, `${NEW_PASSWORD} ${at}`)),
    )
    assert.deepEqual(tally(all), { 204: 1, 404: 7 })
  })

  test('an unknown address gets the same response, and no mail', async () => {
    const [someone, nobody] = [await person(get()), newAddress()]
    const plain = async (email: string) => {
      const { status, body } = await ask(email)
      return { status, body }
    }
    assert.deepEqual(await plain(someone.email), await plain(nobody))
    assert.deepEqual(await plain(nobody), await plain('no address at all'))
    await tokenFor(get(), someone.email, 'reset')
    assert.deepEqual(await mailTo(get(), nobody), [])
  })

  test('the second factor stays', async () => {
    const someone = await enrolled(get(), clock)
    await ask(someone.email)
    assert.equal((await confirm(await tokenFor(get(), someone.email, 'reset'))).status, 204)
    assert.equal((await logIn(get(), someone.email, NEW_PASSWORD)).body.mfa_required, true)
  })

  test('a link ends with the hour, and when the password has changed meanwhile', async () => {
    const [first, second] = [await person(get()), await person(get())]
    for (const { email } of [first, second]) await ask(email)
    const late = await tokenFor(get(), first.email, 'reset')
    await expire(get(), first.email)
    isGone(await confirm(late))
    const outdated = await tokenFor(get(), second.email, 'reset')
    const { access_token: token } = await signIn(get(), second)
    const body = { current_password: PASSWORD, new_password: NEW_PASSWORD }
    await get().call('POST', '/auth/password', { as: as.user(token), body })
    isGone(await confirm(outdated, 'eleven silver anchors'))
  })

  test('an address gets at most five of these mails in an hour', async () => {
    const someone = await person(get())
    for (let at = 0; at < 8; at += 1) await ask(someone.email)
    const waiting = `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'identity.mail_link'`
    await until('the mail', async () => (await sql(get().database, waiting)).length === 0)
    assert.equal((await mailTo(get(), someone.email)).length, 5)
  })
})

describe('another address', () => {
  const get = useApp()
  const ask = (token: string, email: string) => post(get(), '/email-changes', { email }, token)
  const confirm = (token: string) => post(get(), '/email-changes/confirm', { token })

  test('is confirmed by itself; both are notified, and sessions stay', async () => {
    const someone = await person(get())
    const { access_token: session } = await signIn(get(), someone)
    const address = newAddress()
    assert.equal((await ask(session, address)).status, 202)
    assert.equal((await me(get(), session)).body.email, someone.email)
    const { status, body } = await confirm(await tokenFor(get(), address, 'email'))
    assert.deepEqual([status, body], [200, { email: address }])
    assert.equal((await me(get(), session)).body.email, address)
    assert.equal((await logIn(get(), address)).status, 200)
    assert.equal((await logIn(get(), someone.email)).status, 401)
    for (const each of [address, someone.email]) {
      assert.match((await subjectsTo(get(), each)).join(), /The address was changed/)
    }
  })

  test('is changed by exactly one of many concurrent callers', async () => {
    const { access_token: session } = await signIn(get(), await person(get()))
    const address = newAddress()
    await ask(session, address)
    const token = await tokenFor(get(), address, 'email')
    const all = await Promise.all(Array.from({ length: 8 }, () => confirm(token)))
    assert.deepEqual(tally(all), { 200: 1, 404: 7 })
  })

  test('is given to one of two accounts that confirm it at once', async () => {
    const address = newAddress()
    const tokens: string[] = []
    for (let at = 0; at < 2; at += 1) {
      const { access_token: session } = await signIn(get(), await person(get()))
      await ask(session, address)
      const mails = await mailTo(get(), address)
      tokens.push(/token=(link_\w+)/.exec(mails[0]?.text ?? '')?.[1] as string)
    }
    assert.notEqual(tokens[0], tokens[1])
    assert.deepEqual(tally(await Promise.all(tokens.map(confirm))), { 200: 1, 409: 1 })
  })

  test('the response does not reveal that another account has it, and no link is sent', async () => {
    const [someone, other] = [await person(get()), await person(get())]
    const { access_token: session } = await signIn(get(), someone)
    const { status, body } = await ask(session, other.email)
    assert.deepEqual([status, body], [202, {}])
    const [mail] = await mailTo(get(), other.email)
    assert.doesNotMatch(mail?.text ?? '', /link_/)
    assert.equal((await ask(session, someone.email)).body.errors[0].pointer, '/email')
    assert.equal((await ask(session, 'nothing')).body.errors[0].pointer, '/email')
  })
})

describe('registration', () => {
  const get = useApp({ environment: { MOORING_REGISTRATION: 'open' } })
  const ask = (email: string) => post(get(), '/registrations', { email })
  const confirm = (token: string) =>
    post(get(), '/registrations/confirm', { token, name: 'Ada', password: NEW_PASSWORD })

  test('creates an account once the address is confirmed, and signs in', async () => {
    const address = newAddress()
    assert.equal((await ask(address)).status, 202)
    assert.equal((await logIn(get(), address, NEW_PASSWORD)).status, 401)
    const { status, body, cookies } = await confirm(await tokenFor(get(), address, 'verify'))
    assert.equal(status, 201)
    assert.equal((await me(get(), body.access_token as string)).body.email, address)
    assert.match(cookies.join(), /mooring-console=rt_/)
  })

  test('creates an account for exactly one of many concurrent callers', async () => {
    const address = newAddress()
    await ask(address)
    const token = await tokenFor(get(), address, 'verify')
    const all = await Promise.all(Array.from({ length: 8 }, () => confirm(token)))
    assert.equal(tally(all)[201], 1)
    const rows = await sql(get().database, 'SELECT id FROM users WHERE email = $1', [address])
    assert.equal(rows.length, 1)
  })

  test('a known address gets the same response, and a mail that says so', async () => {
    const someone = await person(get())
    const [known, unknown] = [await ask(someone.email), await ask(newAddress())]
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
    await until('the mail', async () => (await mailTo(get(), someone.email)).length === 1)
    const [mail] = await mailTo(get(), someone.email)
    assert.match(mail?.subject ?? '', /You have an account/)
    assert.doesNotMatch(mail?.text ?? '', /link_/)
  })

  test('an account that came meanwhile keeps the address', async () => {
    const address = newAddress()
    await ask(address)
    const token = await tokenFor(get(), address, 'verify')
    await sql(get().database, `UPDATE users SET email = $1 WHERE id = $2`, [
      address,
      (await person(get())).uuid,
    ])
    assert.equal((await confirm(token)).body.code, 'account_exists')
  })
})

describe('limits and closed registration', () => {
  const get = useApp({ environment: { MOORING_RATE_LIMITS: 'on' } })

  test('nobody registers unless the operator has opened it', async () => {
    const body = { email: newAddress() }
    assert.equal((await post(get(), '/registrations', body)).body.code, 'registration_closed')
    const confirm = { token: 'link_x', name: 'Ada', password: NEW_PASSWORD }
    const answer = await post(get(), '/registrations/confirm', confirm)
    assert.equal(answer.body.code, 'registration_closed')
  })

  test('asking for links is limited like signing in', async () => {
    const asked = Array.from({ length: 30 }, () =>
      post(get(), '/password-resets', { email: newAddress() }),
    )
    const { 202: accepted = 0, 429: limited = 0 } = tally(await Promise.all(asked))
    assert.ok(accepted <= 20 && limited >= 10, `${accepted} ${limited}`)
  })
})
