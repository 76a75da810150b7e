/** The client calls the service with any credential, and reads all of its responses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, MooringError } from '../../sdk/client.ts'
import { seedDevice, seedMoid } from '../support/credentials.ts'
import { seedFleet } from '../support/fleet.ts'
import { newPhone, openClaim, newDevice } from '../support/phones-and-devices.ts'
import { useTenants } from '../support/suite-app.ts'

const freshTenants = useTenants()

test('each of the five kinds of credentials is sent in its header', async (t) => {
  const { app, origin, seed } = await freshTenants(t)
  const baseUrl = `${origin}/`
  const user = createClient({ baseUrl, token: seed.owner.token })
  assert.equal((await user.call('getMe')).email, seed.owner.email)
  const backend = createClient({ baseUrl, apiKey: async () => seed.platformKey })
  assert.equal((await backend.call('listWorkspaces')).items[0]?.id, seed.id)
  const factory = createClient({ baseUrl, provisionKey: () => seed.provisionKey })
  assert.equal((await factory.call('listProvisionTemplates')).items[0]?.id, seed.template.id)
  const seeded = await seedDevice(app, seed)
  const device = createClient({ baseUrl, token: seeded.token })
  assert.equal((await device.call('getOwnDevice')).device_id, seeded.id)
  const { token } = await seedMoid(app, seed.uuid)
  const phone = createClient({ baseUrl, token: () => Promise.resolve(token) })
  assert.deepEqual((await phone.call('listMoidDevices')).items, [])
})

test('a client with two credentials is refused', () => {
  const baseUrl = 'http://127.0.0.1:1'
  assert.throws(() => createClient({ baseUrl, token: 'a', apiKey: 'b' }), TypeError)
})

test('a response has its status and headers, whose ETag is a precondition', async (t) => {
  const { origin, seed } = await freshTenants(t)
  const client = createClient({ baseUrl: origin, apiKey: seed.platformKey })
  const params = { id: seed.id }
  const read = await client.request('getWorkspace', { params })
  const etag = read.headers.get('etag') ?? ''
  const body = { name: 'Ünïcode & more' }
  const changed = await client.call('updateWorkspace', {
    params,
    body,
    headers: { 'if-match': etag },
  })
  assert.equal(changed.name, body.name)
  await assert.rejects(
    client.call('updateWorkspace', { params, body, headers: { 'if-match': etag } }),
    (error) => error instanceof MooringError && error.status === 412,
  )
  const { headers } = await client.request('getWorkspace', { params })
  const known = { 'if-none-match': headers.get('etag') ?? '' }
  const again = await client.request('getWorkspace', { params, headers: known })
  assert.deepEqual([again.status, again.body], [304, undefined])
})

test('a response without a body is undefined', async (t) => {
  const { origin, seed } = await freshTenants(t)
  const client = createClient({ baseUrl: origin, token: seed.owner.token })
  const params = { id: seed.id }
  const body = { name: 'building', type: 'string' } as const
  const { id } = await client.call('createCustomField', { params, body })
  const { status, body: none } = await client.request('deleteCustomField', {
    params: { id: seed.id, field_id: id },
  })
  assert.deepEqual([status, none], [204, undefined])
})

test('a refusal has the code, the invalid members and the trace', async (t) => {
  const { origin, seed } = await freshTenants(t)
  const client = createClient({ baseUrl: origin, apiKey: seed.platformKey })
  const body = { model_key: '', name: 'Sensor', serial_format: 'S-%#f' }
  const error = await client
    .call('createDeviceTemplate', { params: { id: seed.id }, body })
    .catch((each: unknown) => each)
  assert.ok(error instanceof MooringError)
  assert.deepEqual([error.status, error.code], [400, 'invalid_request'])
  assert.deepEqual(
    error.pointers.map(({ pointer }) => pointer),
    ['/model_key'],
  )
  assert.equal(error.message, error.detail)
  assert.match(error.traceId ?? '', /^[0-9a-f]{32}$/)
})

test('pages yields every item once, and asks for a page only when it is needed', async (t) => {
  const app = await freshTenants(t)
  const { ids } = await seedFleet(app, 7)
  let requests = 0
  const client = createClient({
    baseUrl: app.origin,
    apiKey: app.seed.platformKey,
    fetch: (url, init) => {
      requests += 1
      return fetch(url, init)
    },
  })
  const input = { params: { id: app.seed.id }, query: { limit: 3 } }
  const found: string[] = []
  for await (const { id } of client.pages('listDevices', input)) found.push(id)
  assert.deepEqual(found.toSorted(), ids.toSorted())
  assert.equal(requests, 3)
  for await (const { id } of client.pages('listDevices', input)) {
    assert.equal(id, found[0])
    break
  }
  assert.equal(requests, 4)
})

test('rows are read and sent line by line', async (t) => {
  const app = await freshTenants(t)
  const { id } = app.seed
  const client = createClient({ baseUrl: app.origin, apiKey: app.seed.platformKey })
  const body = ['a', 'b', 'ü'].map((name) => ({
    name,
    device_key: `k-${name.charCodeAt(0)}`,
    template_id: app.seed.template.id,
  }))
  const statuses: string[] = []
  for await (const row of client.rows('importDevices', { params: { id }, body })) {
    statuses.push(row.status)
  }
  assert.deepEqual(statuses, ['created', 'created', 'created'])
  const names: string[] = []
  for await (const { name } of client.rows('exportDevices', { params: { id } }))
    names.push(name ?? '')
  assert.deepEqual(names.toSorted(), ['a', 'b', 'ü'])
})

test('a response in another format is given unread', async (t) => {
  const app = await freshTenants(t)
  const { ids } = await seedFleet(app, 1)
  const client = createClient({ baseUrl: app.origin, apiKey: app.seed.platformKey })
  const response = await client.send('exportDevices', {
    params: { id: app.seed.id },
    query: { format: 'csv' },
  })
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/)
  assert.match(await response.text(), new RegExp(`,${ids[0]},`))
})

test('poll waits at the service until the body is settled', async (t) => {
  const app = await freshTenants(t)
  const phone = await newPhone(app)
  const claim = await openClaim(app, phone)
  const client = createClient({ baseUrl: app.origin, token: phone.token })
  const params = { claim_id: claim.id }
  const settled = client.poll('getClaim', { params }, ({ status }) => status !== 'open')
  const device = await newDevice(app)
  assert.equal((await device.bind(claim.code)).status, 200)
  assert.equal((await settled).status, 'bound')
})

test('an aborted call ends at once with the reason', async (t) => {
  const app = await freshTenants(t)
  const phone = await newPhone(app)
  const claim = await openClaim(app, phone)
  const client = createClient({ baseUrl: app.origin, token: phone.token })
  const controller = new AbortController()
  const input = { params: { claim_id: claim.id }, signal: controller.signal }
  const waiting = client.poll('getClaim', input, ({ status }) => status !== 'open')
  const reason = new Error('the page was closed')
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(waiting, reason)
  await assert.rejects(client.call('listMoidDevices', { signal: controller.signal }), reason)
})
