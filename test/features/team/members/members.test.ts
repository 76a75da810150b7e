/** Members: the callers who see and change them, and the effects of a removal. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { type SeededUser, type SeededWorkspace, seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const members = (app: TestApp, token: string): Promise<CallResult> =>
  app.call('GET', `/workspaces/${app.seed.id}/members`, { as: as.user(token) })

const change = (app: TestApp, token: string, userId: string, role: string): Promise<CallResult> =>
  app.call('PATCH', `/workspaces/${app.seed.id}/members/${userId}`, {
    as: as.user(token),
    body: { role },
  })

const remove = (app: TestApp, token: string, userId: string): Promise<CallResult> =>
  app.call('DELETE', `/workspaces/${app.seed.id}/members/${userId}`, { as: as.user(token) })

const join = (app: TestApp, role: string, workspace: SeededWorkspace = app.seed) =>
  seedUser(app.app, { [workspace.uuid]: role })

/** The texts of the response and the audit log about somebody who has created nothing. */
const nothingCreated = {
  api_keys_revoked: [],
  api_keys_kept: [],
  mqtt_principals_suspended: [],
  mqtt_principals_kept: [],
  webhooks_disabled: [],
  webhooks_kept: [],
  invitations_revoked: 0,
}

const ownersOf = async (app: TestApp): Promise<number> => {
  const [row] = await sql<{ n: number }>(
    app.database,
    `SELECT count(*) AS n FROM memberships WHERE workspace_id = $1 AND role = 'owner'`,
    [app.seed.uuid],
  )
  return Number(row?.n)
}

suite('/workspaces/{id}/members', () => {
  const fresh = useTenants()

  test('every member can list the members with their roles', async (t) => {
    const app = await fresh(t)
    const viewer = await join(app, 'viewer')
    const { status, body } = await members(app, viewer.token)
    assert.equal(status, 200)
    assert.deepEqual(
      body.items.map((item: Record<string, string>) => [item.user_id, item.email, item.role]),
      [
        [viewer.id, viewer.email, 'viewer'],
        [app.seed.owner.id, app.seed.owner.email, 'owner'],
      ],
    )
    const page = await app.call('GET', `/workspaces/${app.seed.id}/members?limit=1`, {
      as: as.platformKey(app.seed.platformKey),
    })
    const rest = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/members?limit=1&cursor=${page.body.next_cursor}`,
      { as: as.platformKey(app.seed.platformKey) },
    )
    assert.deepEqual([...page.body.items, ...rest.body.items], body.items)
    assert.equal(rest.body.next_cursor, null)
  })

  test('only an owner adds, changes or removes an owner', async (t) => {
    const app = await fresh(t)
    const { owner, platformKey } = app.seed
    const admin = await join(app, 'admin')
    const member = await join(app, 'member')
    const key = as.platformKey(platformKey)
    const path = (userId: string): string => `/workspaces/${app.seed.id}/members/${userId}`
    const denied = async (response: Promise<CallResult>): Promise<void> => {
      const { status, body } = await response
      assert.deepEqual([status, body.code], [403, 'permission_denied'])
    }
    await denied(change(app, admin.token, member.id, 'owner'))
    await denied(change(app, admin.token, admin.id, 'owner'))
    await denied(change(app, admin.token, owner.id, 'viewer'))
    await denied(remove(app, admin.token, owner.id))
    await denied(app.call('PATCH', path(member.id), { as: key, body: { role: 'owner' } }))
    await denied(app.call('DELETE', path(owner.id), { as: key }))
    await denied(change(app, member.token, member.id, 'admin'))
    await denied(remove(app, member.token, admin.id))
    const byKey = await app.call('PATCH', path(member.id), { as: key, body: { role: 'viewer' } })
    assert.deepEqual([byKey.status, byKey.body.role], [200, 'viewer'])
    assert.equal((await change(app, admin.token, member.id, 'admin')).status, 200)
    assert.equal((await change(app, owner.token, admin.id, 'owner')).status, 200)
    assert.equal((await remove(app, owner.token, admin.id)).status, 200)
  })

  test('each change is in the audit log with the previous value', async (t) => {
    const app = await fresh(t)
    const user = await join(app, 'member')
    await change(app, app.seed.owner.token, user.id, 'viewer')
    await change(app, app.seed.owner.token, user.id, 'viewer')
    await remove(app, app.seed.owner.token, user.id)
    const { body } = await app.call('GET', `/workspaces/${app.seed.id}/audit-log`, {
      as: as.user(app.seed.owner.token),
    })
    const entries = body.items.map(({ action, detail }: Record<string, unknown>) => [
      action,
      detail,
    ])
    assert.deepEqual(entries, [
      ['member.removed', { user_id: user.id, before: { role: 'viewer' }, ...nothingCreated }],
      [
        'member.updated',
        {
          user_id: user.id,
          role: 'viewer',
          before: { role: 'member' },
          after: { role: 'viewer' },
        },
      ],
    ])
  })

  test('a removed member is refused on the next request, also by another process', async (t) => {
    const app = await fresh(t)
    const other = await app.sibling()
    const admin = await join(app, 'admin')
    const read = (on: TestApp) => members(on, admin.token)
    assert.deepEqual([(await read(app)).status, (await read(other)).status], [200, 200])
    let refused = false
    const stream = async (): Promise<void> => {
      while (!refused) {
        // A request begun after the response to the removal must be refused.
        const after = removed
        const { status, body } = await read(app)
        if (after) assert.deepEqual([status, body.code], [404, 'workspace_not_found'])
        refused = status === 404
      }
    }
    let removed = false
    const streams = [stream(), stream(), stream()]
    assert.equal((await remove(app, app.seed.owner.token, admin.id)).status, 200)
    removed = true
    await Promise.all(streams)
    await until('the other process refuses', async () => (await read(other)).status === 404)
    assert.equal((await read(app)).status, 404)
    assert.equal((await remove(app, app.seed.owner.token, admin.id)).body.code, 'member_not_found')
  })

  test('a demoted member has lost the rights on the next request', async (t) => {
    const app = await fresh(t)
    const admin = await join(app, 'admin')
    const log = () =>
      app.call('GET', `/workspaces/${app.seed.id}/audit-log`, { as: as.user(admin.token) })
    assert.equal((await log()).status, 200)
    assert.equal((await change(app, app.seed.owner.token, admin.id, 'member')).status, 200)
    const { status, body } = await log()
    assert.deepEqual([status, body.code], [403, 'permission_denied'])
  })

  test('everybody may leave, but for the last owner', async (t) => {
    const app = await fresh(t)
    const { owner } = app.seed
    const viewer = await join(app, 'viewer')
    assert.equal((await remove(app, viewer.token, viewer.id)).status, 200)
    assert.equal((await members(app, viewer.token)).status, 404)
    for (const response of [
      await remove(app, owner.token, owner.id),
      await change(app, owner.token, owner.id, 'admin'),
    ]) {
      assert.deepEqual([response.status, response.body.code], [409, 'last_owner'])
    }
    const second = await join(app, 'owner')
    assert.equal((await remove(app, owner.token, owner.id)).status, 200)
    assert.equal((await remove(app, second.token, second.id)).status, 409)
  })

  test('a disabled owner does not count as the last owner', async (t) => {
    const app = await fresh(t)
    const { owner } = app.seed
    const second = await join(app, 'owner')
    await sql(app.database, `UPDATE users SET status = 'disabled' WHERE id = $1`, [second.uuid])
    assert.equal((await remove(app, owner.token, owner.id)).status, 409)
    assert.equal((await remove(app, owner.token, second.id)).status, 200)
  })

  test('one of two owners is left after fifty demotions and removals of them at once', async (t) => {
    const app = await fresh(t)
    const first: SeededUser = app.seed.owner
    const second = await join(app, 'owner')
    const attempts = Array.from({ length: 50 }, (_none, index) => {
      const [actor, target] = index % 2 === 0 ? [first, second] : [second, first]
      const onSelf = index % 4 < 2
      const { id } = onSelf ? actor : target
      return index % 3 === 0 ? change(app, actor.token, id, 'admin') : remove(app, actor.token, id)
    })
    const responses = await Promise.all(attempts)
    assert.equal(await ownersOf(app), 1)
    for (const { status, text } of responses)
      assert.ok([200, 403, 404, 409, 503].includes(status), text)
    assert.ok(responses.some(({ status }) => status === 200))
  })
})
