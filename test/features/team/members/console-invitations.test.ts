/** Invitations in the console: looked at, joined without an account, and handed on as a link. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { browser } from '../../../support/console.ts'
import { mailedToken, mailTo } from '../../../support/outbox.ts'
import { seedUser } from '../../../support/seed.ts'
import { logIn, tally } from '../../../support/sign-in.ts'
import { until } from '../../../support/until.ts'
import { useTenants } from '../../../support/suite-app.ts'

const PASSWORD = 'nineteen copper lanterns'
const newAddress = (): string => `${randomBytes(6).toString('hex')}@example.com`

async function invite(app: TestApp, email: string, role = 'member') {
  const { status, body, text } = await app.call('POST', `/workspaces/${app.seed.id}/invitations`, {
    as: as.user(app.seed.owner.token),
    body: { email, role },
  })
  assert.equal(status, 201, text)
  return { id: body.id as string, token: await mailedToken(app, email) }
}

const check = (app: TestApp, token: string) =>
  browser(app).call('POST', '/invitations/look', { body: { token } })

const join = (app: TestApp, token: string, page = browser(app)) =>
  page.call('POST', '/invitations/join', { body: { token, name: 'Ada', password: PASSWORD } })

const link = (app: TestApp, id: string, token = app.seed.owner.token) =>
  browser(app).call('POST', `/workspaces/${app.seed.id}/invitations/${id}/link`, {
    as: as.user(token),
  })

const isNotFound = ({ status, body }: CallResult): void =>
  assert.deepEqual([status, body.code], [404, 'invitation_not_found'])

describe('an invitation in the console', () => {
  const fresh = useTenants()

  test('shows the person who has its token what it is about', async (t) => {
    const app = await fresh(t)
    const email = newAddress()
    const { token } = await invite(app, email)
    const { status, body } = await check(app, token)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.email, body.role, body.has_account, body.invited_by],
      [email, 'member', false, app.seed.owner.email],
    )
    const someone = await seedUser(app.app)
    const known = await check(app, (await invite(app, someone.email)).token)
    assert.equal(known.body.has_account, true)
    isNotFound(await check(app, `${token}x`))
  })

  test('makes the account and the membership, and signs in', async (t) => {
    const app = await fresh(t)
    const email = newAddress()
    const { id, token } = await invite(app, email, 'admin')
    const page = browser(app)
    const { status, body, text } = await join(app, token, page)
    assert.equal(status, 201, text)
    assert.equal(body.workspace_id, app.seed.id)
    assert.ok(page.cookies.has('mooring-console'))
    const caller = as.user(body.access_token as string)
    const shown = await app.call('GET', `/workspaces/${app.seed.id}`, { as: caller })
    assert.equal(shown.body.role, 'admin')
    assert.equal((await logIn(app, email, PASSWORD)).status, 200)
    const actions = await sql(
      app.database,
      `SELECT action FROM audit_log WHERE resource_id = ANY($1) ORDER BY action`,
      [[id, body.user_id]],
    )
    assert.deepEqual(
      actions.map((entry) => (entry as { action: string }).action),
      ['account.created', 'invitation.accepted', 'invitation.created', 'member.added'],
    )
    isNotFound(await check(app, token))
  })

  test('lets exactly one of many concurrent callers join', async (t) => {
    const app = await fresh(t)
    const email = newAddress()
    const { token } = await invite(app, email)
    const all = await Promise.all(Array.from({ length: 8 }, () => join(app, token)))
    const { 201: joined, ...refused } = tally(all)
    assert.equal(joined, 1, JSON.stringify(refused))
    const rows = await sql(app.database, 'SELECT id FROM users WHERE email = $1', [email])
    assert.equal(rows.length, 1)
  })

  test('an address that has an account signs in instead', async (t) => {
    const app = await fresh(t)
    const someone = await seedUser(app.app)
    const { token } = await invite(app, someone.email)
    const refused = await join(app, token)
    assert.deepEqual([refused.status, refused.body.code], [409, 'account_exists'])
    const body = { token }
    const accepted = await app.call('POST', '/invitations/accept', {
      as: as.user(someone.token),
      body,
    })
    assert.equal(accepted.status, 200)
  })

  test('a weak password does not use up the invitation', async (t) => {
    const app = await fresh(t)
    const { token } = await invite(app, newAddress())
    const body = { token, name: 'Ada', password: 'short' }
    const refused = await browser(app).call('POST', '/invitations/join', { body })
    assert.equal(refused.body.errors[0].pointer, '/password')
    assert.equal((await join(app, token)).status, 201)
  })

  test('a link replaces the token of the mail, and is recorded', async (t) => {
    const app = await fresh(t)
    const { id, token } = await invite(app, newAddress())
    const { status, body, text } = await link(app, id)
    assert.equal(status, 200, text)
    const [, url, shown] = /^(.*)\/invitations#token=(invite_\w+)$/.exec(body.url as string) ?? []
    assert.equal(url, `${app.origin}/console`)
    isNotFound(await check(app, token))
    const entries = await sql(
      app.database,
      `SELECT actor_id FROM audit_log WHERE action = 'invitation.link_shown' AND resource_id = $1`,
      [id],
    )
    assert.deepEqual(entries, [{ actor_id: app.seed.owner.id }])
    assert.equal((await join(app, shown as string)).status, 201)
    assert.equal((await link(app, id)).body.code, 'invalid_transition')
  })

  test('a mail that was not sent has the link that was shown last', async (t) => {
    const app = await fresh(t)
    const email = newAddress()
    const other = await invite(app, newAddress())
    const { id, token } = await invite(app, email)
    await until('the mail is kept', async () => (await mailTo(app, email))[0]?.status === 'kept')
    await link(app, id)
    const { url } = (await link(app, id)).body as { url: string }
    const [mail, ...more] = await mailTo(app, email)
    assert.deepEqual(more, [])
    const text = mail?.text ?? ''
    assert.ok(text.includes(`\n${url}\n`), text)
    assert.ok(!text.includes(token))
    assert.equal((await check(app, await mailedToken(app, email))).status, 200)
    assert.equal((await check(app, other.token)).status, 200)
  })

  test('has one link that works, of many that are made at once', async (t) => {
    const app = await fresh(t)
    const { id } = await invite(app, newAddress())
    const made = await Promise.all(Array.from({ length: 6 }, () => link(app, id)))
    const tokens = made.map(({ body }) => (body.url as string).split('#token=')[1] as string)
    assert.deepEqual(tally(await Promise.all(tokens.map((each) => check(app, each)))), {
      200: 1,
      404: 5,
    })
  })

  test('a token that is replaced while it is used lets nobody in', async (t) => {
    const app = await fresh(t)
    const email = newAddress()
    const { id, token } = await invite(app, email)
    const { pool } = app.database
    const holder = await pool.connect()
    const isWaiting = async (): Promise<boolean> => {
      const { rows } = await pool.query(
        `SELECT FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()
           AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
      )
      return rows.length > 0
    }
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT FROM workspaces WHERE id = $1 FOR UPDATE', [app.seed.uuid])
      const joining = join(app, token)
      await until('the request that joins', isWaiting)
      await holder.query('UPDATE invitations SET token_hash = $2 WHERE id = $1', [
        parseId('inv', id),
        randomBytes(32),
      ])
      await holder.query('COMMIT')
      isNotFound(await joining)
    } finally {
      holder.release()
    }
    assert.deepEqual(await sql(app.database, 'SELECT id FROM users WHERE email = $1', [email]), [])
  })

  test('only the holder of the right to invite that role gets its link', async (t) => {
    const app = await fresh(t)
    const admin = await seedUser(app.app, { [app.seed.uuid]: 'admin' })
    const member = await seedUser(app.app, { [app.seed.uuid]: 'member' })
    const { id } = await invite(app, newAddress(), 'owner')
    assert.equal((await link(app, id, admin.token)).body.code, 'permission_denied')
    assert.equal((await link(app, id, member.token)).body.code, 'permission_denied')
  })
})

describe('an invitation where accounts or links are restricted', () => {
  const fresh = useTenants({
    environment: { MOORING_REGISTRATION: 'closed', MOORING_INVITATION_LINKS: 'off' },
  })

  test('lets nobody in who has no account, and shows no link', async (t) => {
    const app = await fresh(t)
    const { id, token } = await invite(app, newAddress())
    const refused = await join(app, token)
    assert.deepEqual([refused.status, refused.body.code], [403, 'registration_closed'])
    const off = await link(app, id)
    assert.deepEqual([off.status, off.body.code], [409, 'invitation_links_off'])
    // The token of the mail still works.
    assert.equal((await check(app, token)).status, 200)
  })
})
