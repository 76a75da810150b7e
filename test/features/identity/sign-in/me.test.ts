/** GET and PATCH /auth/me: one's own account, and what one may do where. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { revisionOf } from '../../../support/revision.ts'
import { me, person, refresh, signIn } from '../../../support/sign-in.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

async function join(app: TestApp, userId: string, role: string, since = 'now()'): Promise<void> {
  await app.database.pool.query(
    `INSERT INTO memberships (workspace_id, user_id, role, created_at)
     VALUES ($1, $2, $3, ${since})`,
    [app.seed.uuid, userId, role],
  )
}

/** Changes a membership as a rule does: the change is announced with it. */
async function change(app: TestApp, userId: string, sql: string): Promise<void> {
  await app.database.transaction(async (trx) => {
    await trx.query({ name: undefined, text: sql }, [userId])
    await app.services.feed.announce(trx, 'user', userId)
  })
}

const workspaces = async (app: TestApp, token: string): Promise<Record<string, string>> => {
  const { body } = await me(app, token)
  const list = body.workspaces as { id: string; role: string }[]
  return Object.fromEntries(list.map(({ id, role }) => [id, role]))
}

describe('/auth/me', () => {
  test("returns the calling user's account", async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    const { status, body, headers } = await me(app, token)
    assert.equal(status, 200)
    assert.equal(body.id, someone.id)
    assert.equal(body.email, someone.email)
    assert.equal(body.name, 'Test')
    assert.equal(body.mfa_enabled, false)
    assert.equal(body.recovery_codes_left, null)
    assert.match(body.session_id, /^ses_/)
    assert.equal(revisionOf(headers), 1)
  })

  test('changes the name, from the revision that was read', async (t) => {
    const app = await freshTenants(t)
    const { access_token: token } = await signIn(app, await person(app))
    const patch = (body: unknown, etag?: string) =>
      app.call('PATCH', '/auth/me', {
        as: as.user(token),
        body,
        ...(etag && { headers: { 'if-match': etag } }),
      })
    const renamed = await patch({ name: 'Ada' }, '"1"')
    assert.equal(renamed.body.name, 'Ada')
    assert.equal(revisionOf(renamed.headers), 2)
    assert.equal((await patch({ name: 'Eve' }, '"1"')).status, 412)
    assert.equal((await patch({})).body.name, 'Ada')
    for (const body of [{ name: '' }, { name: 'a\nb' }, { email: 'x@example.com' }, { name: 7 }]) {
      assert.equal((await patch(body)).status, 400, JSON.stringify(body))
    }
  })

  test('a workspace that a person came to after signing in counts at once', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    assert.deepEqual(await workspaces(app, token), {})
    await change(app, someone.uuid, 'SELECT $1::uuid')
    await join(app, someone.uuid, 'owner')
    await change(app, someone.uuid, 'SELECT $1::uuid')
    assert.deepEqual(await workspaces(app, token), { [app.seed.id]: 'owner' })
  })

  test('a workspace that the token could have named and does not name does not count', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const { access_token: token } = await signIn(app, someone)
    await join(app, someone.uuid, 'owner', `now() - interval '5 minutes'`)
    await change(app, someone.uuid, 'SELECT $1::uuid')
    assert.deepEqual(await workspaces(app, token), {})
  })

  test('a role that was narrowed is narrow at once, one that was widened after a refresh', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    await join(app, someone.uuid, 'admin')
    const tokens = await signIn(app, someone)
    const { id } = app.seed
    assert.deepEqual(await workspaces(app, tokens.access_token), { [id]: 'admin' })
    const set = (role: string) =>
      change(app, someone.uuid, `UPDATE memberships SET role = '${role}' WHERE user_id = $1`)
    await set('viewer')
    assert.deepEqual(await workspaces(app, tokens.access_token), { [id]: 'viewer' })
    await set('owner')
    assert.deepEqual(await workspaces(app, tokens.access_token), { [id]: 'admin' })
    const { body } = await refresh(app, tokens.refresh_token)
    assert.deepEqual(await workspaces(app, body.access_token), { [id]: 'owner' })
  })

  test('a removed member, and members of a suspended workspace, are refused at once', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    await join(app, someone.uuid, 'admin')
    const { access_token: token } = await signIn(app, someone)
    const check = () => app.call('GET', `/workspaces/${app.seed.id}`, { as: as.user(token) })
    assert.equal((await check()).status, 200)
    const setStatus = (status: string) =>
      app.database.transaction(async (trx) => {
        const text = 'UPDATE workspaces SET status = $2 WHERE id = $1'
        await trx.query({ name: undefined, text }, [app.seed.uuid, status])
        await app.services.feed.announce(trx, 'workspace', app.seed.uuid)
      })
    await setStatus('suspended')
    assert.equal((await check()).body.code, 'workspace_not_found')
    await setStatus('active')
    assert.equal((await check()).status, 200)
    await change(app, someone.uuid, 'DELETE FROM memberships WHERE user_id = $1')
    assert.equal((await check()).body.code, 'workspace_not_found')
  })

  test('a user of very many workspaces can sign in, and is known in each', async (t) => {
    const app = await freshTenants(t)
    const someone = await person(app)
    const ids = Array.from({ length: 150 }, () => newUuid())
    await app.database.pool.query(
      `INSERT INTO workspaces (id, name, slug) SELECT id, 'w', 'w-' || id FROM unnest($1::uuid[]) id`,
      [ids],
    )
    await app.database.pool.query(
      `INSERT INTO memberships (workspace_id, user_id, role)
       SELECT id, $2, 'member' FROM unnest($1::uuid[]) id`,
      [ids, someone.uuid],
    )
    const { access_token: token } = await signIn(app, someone)
    assert.equal(Object.keys(await workspaces(app, token)).length, 150)
  })
})
