/** The deletion of an account by its owner: ended and kept resources, and that an owner remains. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { browser } from '../../../support/console.ts'
import { mailedToken, mailTo } from '../../../support/outbox.ts'
import { seedUser, type SeededUser } from '../../../support/seed.ts'
import { logIn, PASSWORD, person, signIn } from '../../../support/sign-in.ts'
import { createAccount } from '../../../../src/features/identity/accounts/account.ts'
import { restoreWorkspace } from '../../../../src/features/workspaces/lifecycle/workspace-deletion.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const remove = (
  app: TestApp,
  { token, email }: Pick<SeededUser, 'token' | 'email'>,
  confirm: unknown = email,
): Promise<CallResult> =>
  browser(app).call('DELETE', '/account', { as: as.user(token), body: { confirm } })

/** How many rows of each table with a `user_id` are the account's, and its own. */
async function rowsOf(app: TestApp, userId: string): Promise<string[]> {
  const tables = (await sql(
    app.database,
    `SELECT table_name FROM information_schema.columns JOIN information_schema.tables
       USING (table_schema, table_name)
     WHERE table_schema = 'public' AND column_name = 'user_id' AND table_type = 'BASE TABLE'`,
  )) as { table_name: string }[]
  const found: string[] = []
  for (const { table_name: table } of tables) {
    const rows = await sql(app.database, `SELECT 1 FROM ${table} WHERE user_id = $1`, [userId])
    if (rows.length > 0) found.push(table)
  }
  return found
}

suite('the deletion of one’s account', () => {
  const fresh = useTenants()

  test('wants the address, and a fresh proof', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    for (const wrong of ['', 'other@example.com', null]) {
      const { status, body } = await remove(app, user, wrong)
      assert.deepEqual([status, body.errors?.[0].pointer], [400, '/confirm'])
    }
    assert.equal((await app.call('GET', '/auth/me', { as: as.user(user.token) })).status, 200)
  })

  test('ends all that it has, mails the address, and leaves the address free', async (t) => {
    const app = await fresh(t)
    const own = await person(app)
    await sql(
      app.database,
      `INSERT INTO memberships (workspace_id, user_id, role) VALUES ($1, $2, 'admin')`,
      [app.seed.uuid, own.uuid],
    )
    const { access_token: token } = await signIn(app, own)
    const path = `/workspaces/${app.seed.id}`
    const key = await app.call('POST', `${path}/api-keys`, {
      as: as.user(token),
      body: { key_kind: 'platform' },
    })
    assert.equal(key.status, 201, key.text)
    assert.notDeepEqual(await rowsOf(app, own.uuid), [])
    await sql(
      app.database,
      `INSERT INTO one_time_links (id, purpose, token_hash, email)
       VALUES (gen_random_uuid(), 'registration', sha256('registration'), $1)`,
      [own.email],
    )

    const { status, text } = await remove(app, { token, email: own.email })
    assert.equal(status, 204, text)
    await until('the session ends', async () => {
      const response = await app.call('GET', '/auth/me', { as: as.user(token) })
      return response.status === 401
    })
    await until('the key is refused', async () => {
      const response = await app.call('GET', path, { as: as.platformKey(key.body.key) })
      return response.status === 401
    })
    assert.deepEqual(await rowsOf(app, own.uuid), [])
    assert.deepEqual(await sql(app.database, 'SELECT 1 FROM users WHERE id = $1', [own.uuid]), [])
    const links = 'SELECT 1 FROM one_time_links WHERE email = $1'
    assert.deepEqual(await sql(app.database, links, [own.email]), [])
    const subjects = (await mailTo(app, own.email)).map(({ subject }) => subject)
    assert.ok(subjects.includes('Your account was deleted (Mooring)'), subjects.join())

    assert.equal((await logIn(app, own.email)).status, 401)
    const again = { email: own.email, password: PASSWORD, name: 'Again' }
    assert.notEqual((await createAccount(app.services, again)).id, own.uuid)
    assert.equal((await logIn(app, own.email)).status, 200)
  })

  test('is recorded by id, where the person acted and in the log of the service', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app, { [app.seed.uuid]: 'member' })
    assert.equal((await remove(app, user)).status, 204)
    const entries = (await sql(
      app.database,
      `SELECT workspace_id, action, actor_id, resource_id FROM audit_log
       WHERE resource_id = $1 AND action IN ('account.deleted', 'member.removed') ORDER BY action`,
      [user.id],
    )) as object[]
    assert.deepEqual(entries, [
      {
        workspace_id: '00000000-0000-0000-0000-000000000000',
        action: 'account.deleted',
        actor_id: user.id,
        resource_id: user.id,
      },
      {
        workspace_id: app.seed.uuid,
        action: 'member.removed',
        actor_id: user.id,
        resource_id: user.id,
      },
    ])
  })

  test('of the only owner is refused, and says of which workspaces', async (t) => {
    const app = await fresh(t)
    const { owner, id, slug } = app.seed
    const { status, body } = await remove(app, owner)
    assert.deepEqual([status, body.code], [409, 'last_owner'])
    assert.ok(body.detail.includes(`${slug} (${id})`), body.detail)
    assert.equal(
      (await app.call('GET', `/workspaces/${id}`, { as: as.user(owner.token) })).status,
      200,
    )
  })

  test('refuses the account that joins or makes a workspace at the same time', async (t) => {
    const app = await fresh(t)
    const user = await seedUser(app.app)
    const path = `/workspaces/${app.seed.id}/invitations`
    const body = { email: user.email, role: 'viewer' }
    const invited = await app.call('POST', path, { as: as.user(app.seed.owner.token), body })
    assert.equal(invited.status, 201, invited.text)
    const token = await mailedToken(app, user.email)
    const call = (at: string, sent: object) =>
      app.call('POST', at, { as: as.user(user.token), body: sent })
    const deleting = await app.app.database.pool.connect()
    try {
      await deleting.query('BEGIN')
      await deleting.query('DELETE FROM users WHERE id = $1', [user.uuid])
      const waiting = [
        call('/invitations/accept', { token }),
        call('/workspaces', { name: 'Late', slug: `late-${user.uuid.slice(-12)}` }),
      ]
      await until('both wait for the account', async () => {
        const { rows } = await app.app.database.pool.query(
          `SELECT 1 FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
        return rows.length >= waiting.length
      })
      await deleting.query('COMMIT')
      for (const { status, body: refusal } of await Promise.all(waiting)) {
        assert.deepEqual([status, refusal.code], [401, 'credential_rejected'])
      }
    } finally {
      deleting.release()
    }
  })

  test('may leave a deleted workspace without an owner, which its restoration returns', async (t) => {
    const app = await fresh(t)
    const { owner, id, slug } = app.seed
    const deleted = await app.call('DELETE', `/workspaces/${id}`, {
      as: as.user(owner.token),
      body: { confirm: slug },
    })
    assert.equal(deleted.status, 202, deleted.text)
    assert.equal((await remove(app, owner)).status, 204)
    assert.deepEqual(await restoreWorkspace(app.services, slug), { hasOwner: false })
  })

  test('of all owners at once leaves one', async (t) => {
    const app = await fresh(t)
    const others = await Promise.all(
      Array.from({ length: 4 }, () => seedUser(app.app, { [app.seed.uuid]: 'owner' })),
    )
    const results = await Promise.all(
      [app.seed.owner, ...others].map((owner) => remove(app, owner)),
    )
    const statuses = results.map(({ status }) => status).toSorted((one, other) => one - other)
    assert.deepEqual(statuses, [204, 204, 204, 204, 409])
    const left = await sql(app.database, 'SELECT role FROM memberships WHERE workspace_id = $1', [
      app.seed.uuid,
    ])
    assert.deepEqual(left, [{ role: 'owner' }])
  })
})
