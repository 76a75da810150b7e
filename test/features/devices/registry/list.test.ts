/** The list of devices: filters, and pages that stay true while devices come and go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const list = async ({ call, seed }: TestApp, query = '') =>
  call('GET', `/workspaces/${seed.id}/devices${query}`, { as: as.platformKey(seed.platformKey) })

async function create({ call, seed }: TestApp, body: object): Promise<string> {
  const response = await call('POST', `/workspaces/${seed.id}/devices`, {
    as: as.platformKey(seed.platformKey),
    body,
  })
  assert.equal(response.status, 201, response.text)
  return response.body.id
}

const keysOf = (body: { items: { device_key: string }[] }): string[] =>
  body.items.map(({ device_key }) => device_key).sort()

/** Queries, and the keys of the devices that they show. */
const EXPECTED: [string, string[]][] = [
  ['', ['alpha-1', 'alpha-2', 'beta', 'gamma_x']],
  ['status=suspended', ['beta']],
  ['status=registered', ['alpha-1', 'alpha-2', 'gamma_x']],
  ['status=decommissioned', []],
  ['tag=env', ['alpha-1', 'alpha-2', 'beta']],
  ['tag=env:prod', ['alpha-1']],
  ['tag=env:', ['beta']],
  ['tag=a:env:b', ['gamma_x']],
  ['tag=env:pro', []],
  ['tag=nothing', []],
  ['connected=true', ['beta']],
  ['connected=false', ['alpha-1', 'alpha-2', 'gamma_x']],
  ['claimed=true', ['gamma_x']],
  ['claimed=false', ['alpha-1', 'alpha-2', 'beta']],
  ['q=alpha', ['alpha-1', 'alpha-2', 'beta']],
  ['q=ALPHA-', []],
  ['q=zet', ['alpha-1']],
  ['q=eta', []],
  ['q=%25', []],
  ['q=100%25', ['gamma_x']],
  ['q=gamma%25', []],
  ['q=alpha&tag=env&status=registered', ['alpha-1', 'alpha-2']],
]

test('each filter shows exactly what it says, alone and together with others', async (t) => {
  const app = await freshTenants(t)
  const { call, database, seed } = app
  const template_id = seed.template.id
  const tags = { env: 'prod', line: '1' }
  await create(app, { device_key: 'alpha-1', name: 'Zeta', tags, template_id })
  await create(app, { device_key: 'alpha-2', name: 'Über', tags: { env: 'test' } })
  const beta = await create(app, { device_key: 'beta', name: 'ALPHAbet', tags: { env: '' } })
  const gamma = await create(app, { device_key: 'gamma_x', name: '100%_x', tags: { a: 'env:b' } })
  const connect = `INSERT INTO device_presence (workspace_id, device_id, connected, incarnation,
    node_id, last_seen_at) VALUES ($1, $2, $3, 1, $4, '2026-01-02T03:04:05.678Z')`
  const { nodeId } = app.services
  await database.query(unnamed(connect), [seed.uuid, parseId('dev', beta), true, nodeId])
  await database.query(unnamed(connect), [seed.uuid, parseId('dev', gamma), false, nodeId])
  const claim = 'UPDATE devices SET claimed_at = now() WHERE id = $1'
  await database.query(unnamed(claim), [parseId('dev', gamma)])
  const suspend = `/workspaces/${seed.id}/devices/${beta}/suspend`
  await call('POST', suspend, { as: as.platformKey(seed.platformKey), body: {} })
  const byTemplate: [string, string[]][] = [
    [`template_id=${template_id}`, ['alpha-1']],
    [`template_id=${seed.other.template.id}`, []],
  ]
  for (const [query, keys] of [...EXPECTED, ...byTemplate]) {
    const { status, body, text } = await list(app, `?${query}`)
    assert.equal(status, 200, text)
    assert.deepEqual(keysOf(body), keys, query)
    assert.equal(body.next_cursor, null)
  }
  const { body } = await list(app, '?connected=true')
  assert.equal(body.items[0].connected, true)
  assert.equal(body.items[0].last_seen_at, '2026-01-02T03:04:05.678Z')
})

test('a filter that is malformed, unknown or given twice is refused', async (t) => {
  const app = await freshTenants(t)
  for (const query of [
    'status=gone',
    'template_id=x',
    'template_id=dev_01h455vb4pex5vsknk084sn02q',
    'tag=a%20b',
    'tag=:x',
    'tag=a&tag=b',
    'connected=yes',
    'claimed=2',
    'q=',
    `q=${'x'.repeat(121)}`,
    'q=a%00',
    'limit=0',
    'limit=201',
    'limit=1.5',
    'sort=name',
    'status[]=active',
  ]) {
    const { status, body } = await list(app, `?${query}`)
    assert.equal(status, 400, query)
    assert.match(body.errors[0].pointer, /^\/query\//, query)
  }
})

test('pages show every device once while others are added and deleted', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const ids: string[] = []
  for (let index = 0; index < 23; index += 1)
    ids.push(await create(app, { device_key: `d${index}` }))
  const seen: string[] = []
  let cursor: string | null = ''
  for (let page = 0; cursor !== null; page += 1) {
    const { body } = await list(app, `?limit=5${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    assert.ok(body.items.length <= 5)
    seen.push(...body.items.map(({ id }: { id: string }) => id))
    await create(app, { device_key: `new-${page}` })
    // One that has been shown already goes: the next page begins where it would have.
    const gone = seen.at(-1)
    await call('DELETE', `/workspaces/${seed.id}/devices/${gone}`, {
      as: as.platformKey(seed.platformKey),
    })
    cursor = body.next_cursor
  }
  assert.deepEqual(seen, ids.toReversed())
})

test('a cursor continues with its own filters only', async (t) => {
  const app = await freshTenants(t)
  const tags = { x: 'y' }
  for (const device_key of ['a1', 'a2', 'b1']) await create(app, { device_key, tags })
  const { body } = await list(app, '?limit=1&q=a&tag=x')
  const cursor = encodeURIComponent(body.next_cursor)
  const next = await list(app, `?limit=1&q=a&tag=x&cursor=${cursor}`)
  assert.deepEqual([...keysOf(body), ...keysOf(next.body)], ['a1', 'a2'])
  for (const query of ['?', '?q=a', '?q=b&tag=x', '?q=a&tag=x:y', '?q=a&tag=x&claimed=false']) {
    const response = await list(app, `${query}&cursor=${cursor}`)
    assert.equal(response.status, 400, query)
    assert.equal(response.body.code, 'invalid_cursor')
  }
})
