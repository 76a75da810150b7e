/** Setting up the first account in the console, with the link that the first start printed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createAccount } from '../../../../src/features/identity/accounts/account.ts'
import { issueLink } from '../../../../src/features/identity/one-time-links/one-time-link.ts'
import { createWorkspace } from '../../../../src/features/workspaces/lifecycle/workspace.ts'
import { serviceOrigin } from '../../../../src/platform/record/event.ts'
import { issueSecret, LINK_TOKEN_PREFIX } from '../../../../src/platform/lib/secrets.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { browser } from '../../../support/console.ts'
import { logIn, me, PASSWORD, tally } from '../../../support/sign-in.ts'
import { useApp } from '../../../support/suite-app.ts'

const OWN_PASSWORD = 'nineteen copper lanterns'
const word = (): string => `w${randomBytes(6).toString('hex')}`

/** An owner as the first start makes one, and its link. */
async function firstOwner({ services }: TestApp) {
  const slug = word()
  const email = `${slug}@example.com`
  const made = { email, password: PASSWORD, name: 'Owner', isInitial: true }
  const account = await createAccount(services, made)
  const workspace = { name: slug, slug, ownerId: account.id }
  const { id } = await createWorkspace(services, serviceOrigin, workspace)
  const link = { purpose: 'setup', email, account } as const
  const token = (await issueLink(services.keyring, services.db, link)) as string
  return { email, token, uuid: account.id, workspaceId: id }
}

const bodyFor = (token: string, more: object = {}) => {
  const slug = word()
  const person = { email: `${slug}@example.org`, name: 'Ada Lovelace', password: OWN_PASSWORD }
  return { token, ...person, workspace_name: 'Engines', workspace_slug: slug, ...more }
}

const isGone = ({ status, body }: CallResult): void =>
  assert.deepEqual([status, body.code], [404, 'link_not_found'])

describe('setting up the first account', () => {
  const get = useApp()
  const setUp = (body: object, page = browser(get())) => page.call('POST', '/setup', { body })

  test('turns the made-up owner into a person who is signed in, with the workspace', async () => {
    const owner = await firstOwner(get())
    const earlier = await logIn(get(), owner.email)
    const page = browser(get())
    assert.equal((await page.call('GET', '/config')).body.setup_open, true)
    const given = bodyFor(owner.token)
    const { status, body, text } = await setUp(given, page)
    assert.equal(status, 201, text)
    assert.equal(body.workspace_id, owner.workspaceId)
    assert.equal(body.password_change_required, undefined)
    assert.ok(page.cookies.has('mooring-console'))
    const caller = as.user(body.access_token as string)
    const shown = (await get().call('GET', `/workspaces/${owner.workspaceId}`, { as: caller })).body
    assert.deepEqual(
      [shown.name, shown.slug, shown.role],
      ['Engines', given.workspace_slug, 'owner'],
    )
    const account = (await me(get(), body.access_token as string)).body
    assert.deepEqual([account.email, account.name], [given.email, 'Ada Lovelace'])
    assert.equal((await logIn(get(), given.email, OWN_PASSWORD)).status, 200)
    assert.equal((await logIn(get(), owner.email)).status, 401)
    // The session of the initial password has ended.
    assert.equal((await me(get(), earlier.body.access_token as string)).status, 401)
    assert.equal((await page.call('GET', '/config')).body.setup_open, false)
    const entries = await sql(
      get().database,
      `SELECT detail FROM audit_log WHERE action = 'account.set_up' AND actor_id = $1`,
      [body.user_id],
    )
    assert.equal(entries.length, 1)
  })

  test('succeeds for exactly one of many concurrent callers', async () => {
    const { token, uuid } = await firstOwner(get())
    const all = await Promise.all(Array.from({ length: 8 }, () => setUp(bodyFor(token))))
    assert.deepEqual(tally(all), { 201: 1, 404: 7 })
    const sessions = await sql(
      get().database,
      'SELECT id FROM user_sessions WHERE user_id = $1 AND ended_at IS NULL',
      [uuid],
    )
    assert.equal(sessions.length, 1)
  })

  test('the link is gone once the owner has chosen a password', async () => {
    const owner = await firstOwner(get())
    const { body } = await logIn(get(), owner.email)
    const change = { current_password: PASSWORD, new_password: OWN_PASSWORD }
    const caller = as.user(body.access_token as string)
    assert.equal(
      (await get().call('POST', '/auth/password', { as: caller, body: change })).status,
      204,
    )
    isGone(await setUp(bodyFor(owner.token)))
  })

  test('a refused request uses nothing up, and names its member', async () => {
    const owner = await firstOwner(get())
    const pointerOf = async (more: object): Promise<unknown> =>
      (await setUp(bodyFor(owner.token, more))).body.errors?.[0]?.pointer
    assert.equal(await pointerOf({ password: 'too short' }), '/password')
    assert.equal(await pointerOf({ email: 'nobody' }), '/email')
    assert.equal(await pointerOf({ email: get().seed.owner.email }), '/email')
    assert.equal(await pointerOf({ workspace_slug: 'console' }), '/workspace_slug')
    const { body } = await get().call('GET', '/workspaces', { as: as.user(get().seed.owner.token) })
    const other = { workspace_slug: body.items[0].slug as string }
    assert.equal((await setUp(bodyFor(owner.token, other))).body.code, 'slug_taken')
    assert.equal((await setUp(bodyFor(owner.token))).status, 201)
  })

  test('an unknown token, and one of another purpose, is the same 404', async () => {
    const { services } = get()
    const link = { purpose: 'registration', email: 'x@example.com', account: null } as const
    const other = (await issueLink(services.keyring, services.db, link)) as string
    for (const token of ['x', issueSecret(LINK_TOKEN_PREFIX), other])
      isGone(await setUp(bodyFor(token)))
  })
})
