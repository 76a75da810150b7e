/** The audit log: its entries, their readers, and their order. */
import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/audit-chain.ts'
import { seedUser, seedWorkspace } from '../../../support/seed.ts'
import { useApp } from '../../../support/suite-app.ts'

suite('GET /workspaces/{id}/audit-log', () => {
  const get = useApp()
  const createKey = async (app: TestApp, name: string): Promise<string> => {
    const { body } = await app.call('POST', `/workspaces/${app.seed.id}/api-keys`, {
      as: as.user(app.seed.owner.token),
      body: { key_kind: 'provision', name },
    })
    return body.id
  }
  const list = async (query = '', credential?: Record<string, string>) => {
    const app = get()
    return app.call('GET', `/workspaces/${app.seed.id}/audit-log${query}`, {
      as: credential ?? as.platformKey(app.seed.platformKey),
    })
  }
  let created: string[] = []
  before(async () => {
    const app = get()
    for (let index = 0; index < 5; index += 1) created.push(await createKey(app, `key ${index}`))
    await app.call('DELETE', `/workspaces/${app.seed.id}/api-keys/${created[2]}`, {
      as: as.platformKey(app.seed.platformKey),
    })
  })

  test('a change has an entry with its actor, its detail and its request id', async () => {
    const app = get()
    const { status, headers, body } = await app.call(
      'POST',
      `/workspaces/${app.seed.id}/api-keys`,
      { as: as.user(app.seed.owner.token), body: { key_kind: 'platform', name: 'seen' } },
    )
    assert.equal(status, 201)
    const entries = await list(`?resource=${body.id}`)
    assert.equal(entries.status, 200)
    const [entry] = entries.body.items
    assert.match(entry.id, /^aud_/)
    assert.deepEqual(entry.actor, { kind: 'user', id: app.seed.owner.id })
    assert.equal(entry.action, 'api_key.created')
    assert.deepEqual(entry.resource, { kind: 'api_key', id: body.id })
    assert.equal(entry.request_id, headers['x-request-id'])
    assert.equal(entry.address, '127.0.0.1')
    assert.deepEqual(entry.detail, { api_key_id: body.id, key_kind: 'platform', name: 'seen' })
    assert.equal(entries.text.includes(body.key), false)
  })

  test('filters narrow the list, alone and together', async () => {
    const app = get()
    const [, , revoked] = created
    const actions = async (query: string): Promise<string[]> =>
      (await list(query)).body.items.map(({ action }: { action: string }) => action)
    assert.deepEqual(await actions(`?resource=${revoked}`), ['api_key.revoked', 'api_key.created'])
    assert.deepEqual(await actions(`?resource=${revoked}&action=api_key.created`), [
      'api_key.created',
    ])
    assert.deepEqual(await actions(`?resource=${revoked}&actor=${app.seed.owner.id}`), [
      'api_key.created',
    ])
    assert.deepEqual(await actions(`?actor=${app.seed.other.owner.id}`), [])
    assert.ok(
      (await actions('?action=api_key.revoked')).every((name) => name === 'api_key.revoked'),
    )
  })

  test('times bound the list: from is included, to is not', async () => {
    const [newest] = (await list('?limit=1')).body.items
    const at = encodeURIComponent(newest.occurred_at)
    const idsOf = async (query: string): Promise<string[]> =>
      (await list(query)).body.items.map(({ id }: { id: string }) => id)
    assert.ok((await idsOf(`?from=${at}`)).includes(newest.id))
    assert.equal((await idsOf(`?to=${at}`)).includes(newest.id), false)
    const past = encodeURIComponent('0001-01-01T00:00:00Z')
    const future = encodeURIComponent('9999-12-31T23:59:59Z')
    assert.deepEqual(await idsOf(`?from=${past}&to=${future}`), await idsOf(''))
    assert.deepEqual(await idsOf(`?from=${future}`), [])
    assert.deepEqual(await idsOf(`?to=${past}`), [])
  })

  test('an entry of long ago is found by its time', async () => {
    const app = get()
    // Version 7 ids and times as a service of three years ago wrote them.
    await sql(
      app.database,
      `INSERT INTO audit_log (workspace_id, id, occurred_at, actor_kind, action)
       VALUES ($1, '018bcfe5-6800-7000-8000-000000000001', '2023-11-14T22:13:20Z', 'service', 'account.created')`,
      [app.seed.uuid],
    )
    const { body } = await list('?from=2023-11-14T22:13:20Z&to=2023-11-14T22:13:21Z')
    assert.deepEqual(
      body.items.map(({ occurred_at }: { occurred_at: string }) => occurred_at),
      ['2023-11-14T22:13:20.000Z'],
    )
  })

  test('pages go from the newest to the oldest without gap or repetition', async () => {
    const whole = (await list('?limit=200')).body.items
    const seen: unknown[] = []
    let cursor = ''
    do {
      const { body } = await list(`?limit=2${cursor}`)
      seen.push(...body.items)
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    const ids = (items: unknown[]) => items.map((item) => (item as { id: string }).id)
    assert.ok(seen.length >= 6)
    assert.deepEqual(ids(seen), ids(whole))
    assert.deepEqual(ids(seen), ids(seen).toSorted().toReversed())
  })

  test('a cursor of other filters is refused', async () => {
    const { body } = await list('?limit=1')
    const mixed = await list(`?limit=1&action=api_key.created&cursor=${body.next_cursor}`)
    assert.equal(mixed.status, 400)
    assert.equal(mixed.body.code, 'invalid_cursor')
  })

  test('a time that does not exist and an unknown filter are refused by name', async () => {
    const times = await list('?from=2026-06-15T23:59:60Z')
    assert.deepEqual([times.status, times.body.errors[0].pointer], [400, '/query/from'])
    const unknown = await list('?actor_id=x')
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [400, '/query/actor_id'])
  })

  test('only owners, admins and platform keys read the log, and only in their workspace', async () => {
    const app = get()
    for (const [role, status] of [
      ['admin', 200],
      ['member', 403],
      ['viewer', 403],
    ] as const) {
      const user = await seedUser(app.app, { [app.seed.uuid]: role })
      assert.equal((await list('', as.user(user.token))).status, status, role)
    }
    const { other } = app.seed
    const unknown = await app.call('GET', `/workspaces/ws_00000000000000000000000000/audit-log`, {
      as: as.platformKey(other.platformKey),
    })
    const foreign = await list('', as.platformKey(other.platformKey))
    assert.equal(foreign.status, 404)
    const strip = ({ trace_id: _trace, instance: _instance, ...rest }: Record<string, unknown>) =>
      rest
    assert.deepEqual(strip(foreign.body), strip(unknown.body))
  })

  test('entries of another workspace are never returned', async () => {
    const app = get()
    const outsider = await seedWorkspace(app.app)
    await app.call('POST', `/workspaces/${outsider.id}/api-keys`, {
      as: as.platformKey(outsider.platformKey),
      body: { key_kind: 'provision', name: 'foreign' },
    })
    assert.equal((await list('?limit=200')).text.includes('foreign'), false)
  })
})
