/** Workspaces: the callers who see and make them, and when their slug stays as it is. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite, test } from 'node:test'
import { lockHome } from '../../../../src/features/devices/registry/store.ts'
import { MAX_OWNED_WORKSPACES } from '../../../../src/features/workspaces/lifecycle/workspace.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { revisionOf } from '../../../support/revision.ts'
import { seedUser, seedWorkspace } from '../../../support/seed.ts'
import { useApp } from '../../../support/suite-app.ts'

const freshSlug = (): string => `t-${newUuid().slice(-12)}`

const create = (app: TestApp, token: string, slug: string, name = 'Acme') =>
  app.call('POST', '/workspaces', { as: as.user(token), body: { name, slug } })

suite('/workspaces', () => {
  const get = useApp()

  test('the creator of a workspace is its owner and can use it at once', async () => {
    const app = get()
    const user = await seedUser(app.app)
    // Its session is remembered from here on, without any workspace.
    const none = await app.call('GET', '/workspaces', { as: as.user(user.token) })
    assert.deepEqual(none.body, { items: [], next_cursor: null })

    const slug = freshSlug()
    const { status, headers, body } = await create(app, user.token, slug)
    assert.equal(status, 201)
    assert.deepEqual(
      [body.name, body.slug, body.status, body.role],
      ['Acme', slug, 'active', 'owner'],
    )
    assert.equal(headers.location, `/api/v1/workspaces/${body.id}`)
    const found = await app.call('GET', `/workspaces/${body.id}`, { as: as.user(user.token) })
    assert.deepEqual([found.status, found.body], [200, body])
    assert.equal(found.headers.etag, headers.etag)
    const log = await app.call('GET', `/workspaces/${body.id}/audit-log`, {
      as: as.user(user.token),
    })
    assert.deepEqual(
      log.body.items.map((entry: { action: string; actor: unknown }) => [
        entry.action,
        entry.actor,
      ]),
      [['workspace.created', { kind: 'user', id: user.id }]],
    )
  })

  test('a list shows the workspaces of its caller alone, with the role in each', async () => {
    const app = get()
    const mine = await seedWorkspace(app.app)
    const shared = await seedWorkspace(app.app)
    const user = await seedUser(app.app, { [mine.uuid]: 'owner', [shared.uuid]: 'viewer' })
    const seen: [string, string][] = []
    let cursor = ''
    do {
      const { body } = await app.call('GET', `/workspaces?limit=1${cursor}`, {
        as: as.user(user.token),
      })
      for (const { id, role } of body.items) seen.push([id, role])
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    assert.deepEqual(seen, [
      [shared.id, 'viewer'],
      [mine.id, 'owner'],
    ])
    const ofKey = await app.call('GET', '/workspaces', { as: as.platformKey(mine.platformKey) })
    assert.deepEqual(
      ofKey.body.items.map(({ id, role }: { id: string; role: string }) => [id, role]),
      [[mine.id, 'admin']],
    )
  })

  test('one of several concurrent requests for a slug gets it', async () => {
    const app = get()
    const slug = freshSlug()
    const users = await Promise.all(Array.from({ length: 10 }, () => seedUser(app.app)))
    const responses = await Promise.all(users.map(({ token }) => create(app, token, slug)))
    const made = responses.filter(({ status }) => status === 201)
    assert.equal(made.length, 1)
    assert.ok(responses.every(({ status, body }) => status === 201 || body.code === 'slug_taken'))
    const members = await sql<{ found: number }>(
      app.database,
      `SELECT count(*) AS found FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
       WHERE w.slug = $1`,
      [slug],
    )
    assert.equal(members[0]?.found, 1)
  })

  test('a slug that could be misread, or is not one, is refused', async () => {
    const app = get()
    const bad = ['api', 'mooring', 'ab', '1abc', 'abc-', '-abc', 'Abc', 'a_c', 'a/c', 'a+c', '$sys']
    for (const slug of [...bad, '', `a${'b'.repeat(40)}`, 'abc\n']) {
      const { status, body } = await create(app, app.seed.owner.token, slug)
      assert.deepEqual([status, body.errors?.[0]?.pointer], [400, '/slug'], slug)
    }
    const longest = `a${'b'.repeat(39)}`
    assert.equal((await create(app, app.seed.owner.token, longest)).status, 201)
  })

  test('a platform key creates no workspaces', async () => {
    const app = get()
    const response = await app.call('POST', '/workspaces', {
      as: as.platformKey(app.seed.platformKey),
      body: { name: 'Acme', slug: freshSlug() },
    })
    assert.deepEqual([response.status, response.body.code], [403, 'wrong_credential_kind'])
  })

  test('a user owns so many workspaces and no more, also when they come at once', async () => {
    const app = get()
    const user = await seedUser(app.app)
    await sql(
      app.database,
      `WITH made AS (
         INSERT INTO workspaces (id, name, slug)
         SELECT gen_random_uuid(), 'Acme', 'own-' || n || $3 FROM generate_series(1, $2) AS n
         RETURNING id
       )
       INSERT INTO memberships (workspace_id, user_id, role) SELECT id, $1, 'owner' FROM made`,
      [user.uuid, MAX_OWNED_WORKSPACES - 1, newUuid().slice(-8)],
    )
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => create(app, user.token, freshSlug())),
    )
    const refused = responses.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 7)
    assert.ok(refused.every(({ body }) => body.code === 'limit_reached'))
  })

  test('another workspace is a 404', async () => {
    const app = get()
    const { other } = app.seed
    const strip = ({ body, status }: { body: Record<string, unknown>; status: number }) => {
      const { trace_id: _trace, instance: _instance, ...rest } = body
      return [status, rest]
    }
    for (const credential of [
      as.user(app.seed.owner.token),
      as.platformKey(app.seed.platformKey),
    ]) {
      for (const method of ['GET', 'PATCH']) {
        const options = { as: credential, ...(method === 'PATCH' && { body: { name: 'x' } }) }
        const foreign = await app.call(method, `/workspaces/${other.id}`, options)
        const unknown = await app.call(method, `/workspaces/ws_${'0'.repeat(26)}`, options)
        assert.equal(foreign.status, 404)
        assert.deepEqual(strip(foreign), strip(unknown))
      }
    }
  })
})

suite('PATCH /workspaces/{id}', () => {
  const get = useApp()
  const patch = (app: TestApp, id: string, token: string, body: unknown, etag?: string) =>
    app.call('PATCH', `/workspaces/${id}`, {
      as: as.user(token),
      body,
      ...(etag !== undefined && { headers: { 'if-match': etag } }),
    })
  const insertDevice = (app: TestApp, workspaceId: string) =>
    sql(
      app.database,
      `INSERT INTO devices (workspace_id, id, device_key, name)
       VALUES ($1, gen_random_uuid(), gen_random_uuid()::text, 'Device')`,
      [workspaceId],
    )

  test('named members change, and the revision with them', async () => {
    const app = get()
    const { id, owner, slug } = await seedWorkspace(app.app)
    const renamed = await patch(app, id, owner.token, { name: 'New name' }, '"1"')
    assert.deepEqual(
      [renamed.status, renamed.body.name, renamed.body.slug, revisionOf(renamed.headers)],
      [200, 'New name', slug, 2],
    )
    const stale = await patch(app, id, owner.token, { name: 'Newer name' }, '"1"')
    assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
    const bare = await patch(app, id, owner.token, { name: 'Newer name' }, '2')
    assert.equal(bare.status, 412)
    assert.match(bare.body.detail, /with its quotes/)
    const same = await patch(app, id, owner.token, { name: 'New name' })
    assert.equal(revisionOf(same.headers), 2)
    const unknown = await patch(app, id, owner.token, { status: 'suspended' })
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [400, '/status'])
  })

  test('a reader with the current ETag gets 304, other readers get 200', async () => {
    const app = get()
    const { id, owner, platformKey, other } = { ...(await seedWorkspace(app.app)), other: app.seed }
    const read = (credential: Record<string, string>, tag: string) =>
      app.call('GET', `/workspaces/${id}`, { as: credential, headers: { 'if-none-match': tag } })
    const { headers } = await read(as.user(owner.token), '"0"')
    const etag = headers.etag as string
    const known = await read(as.user(owner.token), etag)
    assert.deepEqual([known.status, known.text, known.headers.etag], [304, '', etag])
    assert.deepEqual(
      [known.headers['content-type'], known.headers['content-length']],
      [undefined, undefined],
    )
    assert.notEqual(known.headers['x-request-id'], undefined)
    // A member with another role gets another response, and other callers get none.
    assert.equal((await read(as.platformKey(platformKey), etag)).status, 200)
    assert.equal((await read(as.user(other.owner.token), '*')).status, 404)
    assert.equal((await read({}, '*')).status, 401)
    await patch(app, id, owner.token, { name: 'Newer' }, etag)
    assert.equal((await read(as.user(owner.token), etag)).status, 200)
  })

  test('a slug can change while there is no device, and keys get the new one', async () => {
    const app = get()
    const { id, owner, provisionKey, template } = await seedWorkspace(app.app)
    await app.call('GET', '/provision/device-templates', { as: as.factory(provisionKey) })
    const slug = freshSlug()
    assert.equal((await patch(app, id, owner.token, { slug })).body.slug, slug)
    const { status, body } = await app.call('POST', '/provision/device', {
      as: as.factory(provisionKey),
      body: { template_id: template.id },
    })
    assert.deepEqual([status, body.workspace_slug], [201, slug])
    const fixed = await patch(app, id, owner.token, { slug: freshSlug() })
    assert.deepEqual([fixed.status, fixed.body.code], [409, 'slug_fixed'])
    assert.equal((await patch(app, id, owner.token, { slug, name: 'Still' })).status, 200)
  })

  test('a taken slug stays with its workspace', async () => {
    const app = get()
    const { id, owner } = await seedWorkspace(app.app)
    const response = await patch(app, id, owner.token, { slug: app.seed.slug })
    assert.deepEqual([response.status, response.body.code], [409, 'slug_taken'])
    assert.equal((await patch(app, id, owner.token, { slug: 'admin' })).status, 400)
  })

  test('a slug never changes under a device that is registered at the same time', async () => {
    const app = get()
    const { id, uuid, owner } = await seedWorkspace(app.app)
    // The registration is open: its device is there and not yet committed.
    let response: ReturnType<typeof patch> | undefined
    await app.database.transaction(async (trx) => {
      await lockHome.one(trx, { workspaceId: uuid, templateId: null })
      await sql(
        trx,
        `INSERT INTO devices (workspace_id, id, device_key, name)
         VALUES ($1, gen_random_uuid(), 'racer', 'Device')`,
        [uuid],
      )
      response = patch(app, id, owner.token, { slug: freshSlug() })
      // The change has to wait for the registration, which its lock shows.
      const done = response.then(() => true)
      let waiting = 0
      while (waiting === 0 && !(await Promise.race([done, sleep(5, false)]))) {
        const [row] = await sql<{ found: number }>(
          app.database,
          'SELECT count(*) AS found FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0',
        )
        waiting = row?.found ?? 0
      }
    })
    const { status, body } = await (response as ReturnType<typeof patch>)
    assert.deepEqual([status, body.code], [409, 'slug_fixed'])
  })

  test('members and viewers may not change it', async () => {
    const app = get()
    const { id, uuid } = await seedWorkspace(app.app)
    await insertDevice(app, uuid)
    for (const [role, status] of [
      ['admin', 200],
      ['member', 403],
      ['viewer', 403],
    ] as const) {
      const user = await seedUser(app.app, { [uuid]: role })
      assert.equal((await patch(app, id, user.token, { name: `By ${role}` })).status, status, role)
    }
  })
})
