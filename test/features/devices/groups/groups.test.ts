/** Groups of devices: saved filters, and sets that are kept manually. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const caller = ({ call, seed }: TestApp) => {
  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<CallResult> =>
    call(method, `/workspaces/${seed.id}${path}`, {
      as: as.platformKey(seed.platformKey),
      headers,
      ...(body !== undefined && { body }),
    })
  return {
    send,
    make: async (path: string, body: object): Promise<string> => {
      const response = await send('POST', path, body)
      assert.equal(response.status, 201, response.text)
      return response.body.id
    },
    keys: async (path: string): Promise<string[]> => {
      const { status, body, text } = await send('GET', path)
      assert.equal(status, 200, text)
      return body.items.map(({ device_key }: { device_key: string }) => device_key).toSorted()
    },
  }
}

const filterPath = (filter: string): string => `/devices?filter=${encodeURIComponent(filter)}`

test('a group with a filter has the devices that match it now', async (t) => {
  const { send, make, keys } = caller(await freshTenants(t))
  const one = await make('/devices', { device_key: 'one', tags: { floor: 'ground' } })
  await make('/devices', { device_key: 'two', tags: { floor: 'first' } })
  const group = await make('/device-groups', { name: 'Ground', filter: 'tags.floor = "ground"' })
  assert.deepEqual(await keys(`/device-groups/${group}/devices`), ['one'])
  assert.deepEqual(await keys(filterPath(`group = ${group}`)), ['one'])
  assert.deepEqual(await keys(filterPath(`group != ${group}`)), ['two'])
  await send('PATCH', `/devices/${one}`, { tags: { floor: null } })
  assert.deepEqual(await keys(`/device-groups/${group}/devices`), [])
  const changed = await send('PATCH', `/device-groups/${group}`, { filter: 'device_key = "t*"' })
  assert.equal(changed.body.filter, 'device_key = "t*"')
  assert.equal(changed.body.kind, 'dynamic')
  assert.deepEqual(await keys(`/device-groups/${group}/devices`), ['two'])
  const add = await send('POST', `/device-groups/${group}/devices`, { add: [one] })
  assert.equal(add.body.code, 'device_group_has_filter')
})

test('a static group has the added devices, until they are removed or deleted', async (t) => {
  const { send, make, keys } = caller(await freshTenants(t))
  const ids: string[] = []
  for (const device_key of ['a', 'b', 'c']) ids.push(await make('/devices', { device_key }))
  const group = await make('/device-groups', { name: 'By hand' })
  const members = `/device-groups/${group}/devices`
  assert.deepEqual((await send('POST', members, { add: ids })).body, { added: 3, removed: 0 })
  assert.deepEqual((await send('POST', members, { add: ids })).body, { added: 0, removed: 0 })
  const swap = { add: ids.slice(0, 1), remove: ids.slice(0, 2) }
  assert.deepEqual((await send('POST', members, swap)).body, { added: 0, removed: 2 })
  assert.deepEqual(await keys(members), ['c'])
  assert.deepEqual(await keys(filterPath(`group = ${group} OR device_key = "a"`)), ['a', 'c'])
  await send('DELETE', `/devices/${ids[2]}`)
  assert.deepEqual(await keys(members), [])
  const filter = await send('PATCH', `/device-groups/${group}`, { filter: 'status = active' })
  assert.equal(filter.body.errors[0].pointer, '/filter')
})

test('a call with ids that are no devices of the workspace adds nothing', async (t) => {
  const app = await freshTenants(t)
  const { send, make, keys } = caller(app)
  const device = await make('/devices', { device_key: 'own' })
  const foreign = await app.call('POST', `/workspaces/${app.seed.other.id}/devices`, {
    as: as.platformKey(app.seed.other.platformKey),
    body: { device_key: 'foreign' },
  })
  const group = await make('/device-groups', { name: 'Own' })
  const members = `/device-groups/${group}/devices`
  const { status, body } = await send('POST', members, { add: [device, foreign.body.id] })
  assert.equal(status, 400)
  assert.equal(body.errors[0].pointer, '/add/1')
  assert.deepEqual(await keys(members), [])
})

test('a filter that a group cannot have is refused with its place', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = caller(app)
  const dynamic = await make('/device-groups', { name: 'Dynamic', filter: 'claimed = true' })
  const hand = await make('/device-groups', { name: 'By hand' })
  for (const filter of [
    `group = ${dynamic}`,
    'status = active AND',
    'colour = red',
    `group = ${formatId('grp', newUuid())}`,
  ]) {
    const { status, body } = await send('POST', '/device-groups', { name: 'Bad', filter })
    assert.equal(status, 400, filter)
    assert.equal(body.errors[0].pointer, '/filter')
    assert.match(body.errors[0].message, /^cannot be read at character \d+: \w/)
  }
  const user = await make('/device-groups', { name: 'Names one', filter: `NOT group = ${hand}` })
  const refused = await send('DELETE', `/device-groups/${hand}`)
  assert.equal(refused.body.code, 'device_group_in_use')
  await send('DELETE', `/device-groups/${user}`)
  assert.equal((await send('DELETE', `/device-groups/${hand}`)).status, 204)
  assert.equal((await send('GET', `/device-groups/${hand}/devices`)).status, 404)
  assert.equal((await send('GET', filterPath(`group = ${hand}`))).status, 400)
})

test('one of many concurrent requests for a name gets it', async (t) => {
  const { send } = caller(await freshTenants(t))
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => send('POST', '/device-groups', { name: 'Same' })),
  )
  const taken = responses.filter(({ body }) => body.code === 'device_group_name_taken')
  assert.equal(taken.length, 7)
})

test('one of many concurrent requests for the last place gets it', async (t) => {
  const app = await freshTenants(t)
  const { send } = caller(app)
  await app.database.pool.query(
    `INSERT INTO device_groups (workspace_id, id, name)
     SELECT $1, gen_random_uuid(), 'Group ' || n FROM generate_series(1, 999) n`,
    [app.seed.uuid],
  )
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, at) => send('POST', '/device-groups', { name: `New ${at}` })),
  )
  const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)])
})

test('groups are listed, read, renamed and guarded by their revision', async (t) => {
  const { send, make } = caller(await freshTenants(t))
  const first = await make('/device-groups', { name: 'First' })
  await make('/device-groups', { name: 'Second', filter: 'status = active' })
  const page = await send('GET', '/device-groups?limit=1')
  assert.deepEqual(page.body.items[0].name, 'Second')
  const cursor = encodeURIComponent(page.body.next_cursor)
  const rest = await send('GET', `/device-groups?limit=1&cursor=${cursor}`)
  assert.equal(rest.body.items[0].id, first)
  const { headers, body } = await send('GET', `/device-groups/${first}`)
  assert.equal(body.kind, 'static')
  const etag = { 'if-match': headers.etag as string }
  assert.equal((await send('PATCH', `/device-groups/${first}`, { name: 'A' }, etag)).status, 200)
  assert.equal((await send('PATCH', `/device-groups/${first}`, { name: 'B' }, etag)).status, 412)
  const taken = await send('PATCH', `/device-groups/${first}`, { name: 'Second' })
  assert.equal(taken.body.code, 'device_group_name_taken')
})
