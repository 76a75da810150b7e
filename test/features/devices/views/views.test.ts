/** Saved views: their owners, the members who see and change them, and how long they last. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type Headers, type TestApp } from '../../../support/app.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const idsOf = ({ body }: CallResult): string[] =>
  (body.items as { id: string }[]).map(({ id }) => id)

/** Calls about the views of the seed's workspace. */
function viewsOf({ call, seed }: TestApp, caller: Headers) {
  const path = `/workspaces/${seed.id}/views`
  return {
    make: (body: object) => call('POST', path, { as: caller, body }),
    list: () => call('GET', path, { as: caller }),
    read: (id: string) => call('GET', `${path}/${id}`, { as: caller }),
    change: (id: string, body: object, headers: Headers = {}) =>
      call('PATCH', `${path}/${id}`, { as: caller, body, headers }),
    remove: (id: string) => call('DELETE', `${path}/${id}`, { as: caller }),
  }
}

async function made(creation: Promise<CallResult>): Promise<string> {
  const { status, body, text } = await creation
  assert.equal(status, 201, text)
  return body.id
}

/** Asserts a refusal. */
async function refused(asked: Promise<CallResult>, status: number, code: string): Promise<void> {
  const response = await asked
  assert.deepEqual([response.status, response.body.code], [status, code], response.text)
}

suite('saved views', () => {
  const tenant = useTenants()

  async function people(app: TestApp) {
    const { app: services, seed } = app
    const [one, other, viewer] = [
      await seedUser(services, { [seed.uuid]: 'member' }),
      await seedUser(services, { [seed.uuid]: 'member' }),
      await seedUser(services, { [seed.uuid]: 'viewer' }),
    ]
    return {
      owner: viewsOf(app, as.user(seed.owner.token)),
      one: viewsOf(app, as.user(one.token)),
      other: viewsOf(app, as.user(other.token)),
      viewer: viewsOf(app, as.user(viewer.token)),
      key: viewsOf(app, as.platformKey(seed.platformKey)),
      oneId: one.id,
    }
  }

  test('a member who is removed while their view is created is refused like an outsider', async (t) => {
    const app = await tenant(t)
    const { one, oneId } = await people(app)
    const client = await app.database.connect()
    t.after(() => client.end())
    await client.query('BEGIN')
    await client.query('SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [app.seed.uuid])
    const creation = one.make({ name: 'Late' })
    const waiting = `SELECT FROM pg_locks
      WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
    await until('the creation waits', async () => (await client.query(waiting)).rows.length > 0)
    const member = [app.seed.uuid, parseId('usr', oneId)]
    await client.query('DELETE FROM memberships WHERE workspace_id = $1 AND user_id = $2', member)
    await client.query('COMMIT')
    await refused(creation, 404, 'workspace_not_found')
  })

  test('an own view is visible to its creator only', async (t) => {
    const { one, other, owner, key } = await people(await tenant(t))
    const columns = ['device_key', 'tags.floor', 'custom_fields.battery']
    const creation = await one.make({ name: 'Ground', filter: 'tags.floor = ground', columns })
    const id = await made(Promise.resolve(creation))
    assert.equal(creation.body.is_shared, false)
    assert.deepEqual(idsOf(await one.list()), [id])
    const { body } = await one.read(id)
    assert.deepEqual(
      [body.name, body.filter, body.columns],
      ['Ground', 'tags.floor = ground', columns],
    )
    for (const each of [other, owner, key]) {
      assert.deepEqual(idsOf(await each.list()), [])
      await refused(each.read(id), 404, 'view_not_found')
      await refused(each.change(id, { name: 'x' }), 404, 'view_not_found')
      await refused(each.remove(id), 404, 'view_not_found')
    }
    assert.equal((await one.remove(id)).status, 204)
    assert.deepEqual(idsOf(await one.list()), [])
  })

  test('a shared view is visible to all, and changed by its creator and by admins', async (t) => {
    const { one, other, owner, viewer, key } = await people(await tenant(t))
    const id = await made(one.make({ name: 'Cold', filter: 'status = suspended', is_shared: true }))
    for (const each of [one, other, owner, viewer, key])
      assert.deepEqual(idsOf(await each.list()), [id])
    for (const each of [other, viewer]) {
      await refused(each.change(id, { name: 'x' }), 403, 'view_of_another')
      await refused(each.remove(id), 403, 'view_of_another')
    }
    for (const [each, name] of [
      [one, 'A'],
      [owner, 'B'],
      [key, 'C'],
    ] as const) {
      assert.equal((await each.change(id, { name })).body.name, name)
    }
    await refused(owner.change(id, { is_shared: false }), 403, 'view_of_another')
    assert.equal((await one.change(id, { is_shared: false })).body.is_shared, false)
    assert.deepEqual(idsOf(await owner.list()), [])
    assert.equal((await one.change(id, { is_shared: true })).status, 200)
    assert.equal((await owner.remove(id)).status, 204)
  })

  test('a viewer has own views and shares none; a key has shared ones only', async (t) => {
    const { viewer, key } = await people(await tenant(t))
    const id = await made(viewer.make({ name: 'Mine' }))
    await refused(viewer.make({ name: 'Ours', is_shared: true }), 403, 'permission_denied')
    await refused(viewer.change(id, { is_shared: true }), 403, 'permission_denied')
    await refused(key.make({ name: 'Mine' }), 400, 'invalid_request')
    await made(key.make({ name: 'Ours', is_shared: true }))
  })

  test('names are unique among the shared views and among those of a person', async (t) => {
    const { one, other } = await people(await tenant(t))
    const own = await made(one.make({ name: 'A' }))
    await made(other.make({ name: 'A' }))
    await made(other.make({ name: 'A', is_shared: true }))
    await refused(one.make({ name: 'A' }), 409, 'view_name_taken')
    await refused(one.change(own, { is_shared: true }), 409, 'view_name_taken')
    const creations = await Promise.all(Array.from({ length: 8 }, () => one.make({ name: 'B' })))
    const statuses = creations.map(({ status }) => status).toSorted((one, two) => one - two)
    assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)])
  })

  test('a filter or column that no list could have is refused', async (t) => {
    const { one } = await people(await tenant(t))
    await refused(one.make({ name: 'A', filter: 'status = purple' }), 400, 'invalid_request')
    await refused(one.make({ name: 'A', columns: ['password'] }), 400, 'invalid_request')
    await refused(one.make({ name: 'A', columns: ['name', 'name'] }), 400, 'invalid_request')
    const id = await made(one.make({ name: 'A', filter: 'status = active' }))
    await refused(one.change(id, { filter: 'status =' }), 400, 'invalid_request')
    const { body } = await one.change(id, { filter: null, columns: ['name'] })
    assert.deepEqual([body.filter, body.columns], [null, ['name']])
  })

  test('a change that is based on an older revision has no effect', async (t) => {
    const { one } = await people(await tenant(t))
    const id = await made(one.make({ name: 'A' }))
    const etag = (await one.read(id)).headers.etag as string
    assert.equal((await one.change(id, { name: 'B' }, { 'if-match': etag })).status, 200)
    await refused(one.change(id, { name: 'C' }, { 'if-match': etag }), 412, 'precondition_failed')
  })

  test('own views end with the membership; shared ones stay, for admins to change', async (t) => {
    const app = await tenant(t)
    const { one, owner, oneId } = await people(app)
    const own = await made(one.make({ name: 'Own' }))
    const shared = await made(one.make({ name: 'Shared', is_shared: true }))
    const { call, seed, database } = app
    const path = `/workspaces/${seed.id}/members/${oneId}`
    const removal = await call('DELETE', path, { as: as.user(seed.owner.token) })
    assert.equal(removal.status, 200, removal.text)
    assert.deepEqual(idsOf(await owner.list()), [shared])
    const { rows } = await database.pool.query('SELECT id FROM views WHERE workspace_id = $1', [
      seed.uuid,
    ])
    assert.equal(rows.length, 1, own)
    assert.equal((await owner.change(shared, { name: 'Ours' })).status, 200)
  })

  test('a member has at most 100 own views, a workspace 200 shared ones', async (t) => {
    const app = await tenant(t)
    const { one } = await people(app)
    const { pool } = app.database
    const { rows } = await pool.query<{ user_id: string }>(
      'SELECT user_id FROM memberships WHERE workspace_id = $1',
      [app.seed.uuid],
    )
    for (const user of [null, ...rows.map(({ user_id }) => user_id)]) {
      await pool.query(
        `INSERT INTO views (workspace_id, id, user_id, name, created_by)
         SELECT $1, gen_random_uuid(), $2, 'v' || n, 'usr_x'
         FROM generate_series(1, $3::int) AS n`,
        [app.seed.uuid, user, user === null ? 199 : 99],
      )
    }
    for (const is_shared of [false, true]) {
      await made(one.make({ name: 'last', is_shared }))
      await refused(one.make({ name: 'more', is_shared }), 409, 'limit_reached')
    }
  })

  test('the audit log names shared views, and nothing of own ones', async (t) => {
    const app = await tenant(t)
    const { one } = await people(app)
    await made(one.make({ name: 'Private', filter: 'name = secret' }))
    await made(one.make({ name: 'Public', is_shared: true }))
    const { rows } = await app.database.pool.query<{ text: string }>(
      `SELECT row_to_json(a)::text AS text FROM audit_log a
       WHERE workspace_id = $1 AND action = 'view.created'`,
      [app.seed.uuid],
    )
    const text = rows.map((row) => row.text).join('\n')
    assert.equal(rows.length, 2)
    assert.ok(text.includes('Public') && !text.includes('Private') && !text.includes('secret'))
  })
})
