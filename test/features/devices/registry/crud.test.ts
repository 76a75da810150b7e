/** Devices over HTTP: created, read, changed, deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { defineFields } from '../../../support/custom-fields.ts'
import { revisionOf } from '../../../support/revision.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const devicesOf = ({ seed }: TestApp): string => `/workspaces/${seed.id}/devices`
const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

test('a device is created with all that was sent, and its credentials are shown once', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  await defineFields(app, { owner: 'json' })
  const body = {
    device_key: 'Kitchen.1_a-b',
    template_id: seed.template.id,
    hardware_id: 'AA:BB:CC/0001',
    name: 'Küche',
    tags: { floor: 'ground', 'a.b_c-D': '' },
    custom_fields: { owner: { name: 'x', 'line\nbreak': [1, null] } },
    config: { every_s: 5 },
  }
  const created = await call('POST', devicesOf(app), { as: staff(app), body })
  assert.equal(created.status, 201, created.text)
  assert.equal(created.headers['cache-control'], 'no-store')
  assert.equal(revisionOf(created.headers), 1)
  const { id, created_at, updated_at, mqtt_credentials, device_http_token, ...rest } = created.body
  assert.equal(created.headers.location, `/api/v1${devicesOf(app)}/${id}`)
  assert.deepEqual(rest, {
    ...body,
    workspace_id: seed.id,
    status: 'registered',
    approval: 'approved',
    connected: false,
    last_seen_at: null,
    claimed_at: null,
  })
  assert.match(id, /^dev_/)
  assert.equal(created_at, updated_at)
  const { username, password, port, host, tls, client_id, topic_prefix } = mqtt_credentials
  assert.deepEqual([username, client_id, tls], [id, id, false])
  assert.equal(topic_prefix, `${seed.slug}/Kitchen.1_a-b`)
  assert.match(password, /^mqp_/)
  assert.ok(host && port > 0)
  const me = await call('GET', '/devices/auth/me', { as: as.device(device_http_token) })
  assert.equal(me.status, 200, me.text)
  const read = await call('GET', `${devicesOf(app)}/${id}`, { as: staff(app) })
  assert.equal(read.status, 200)
  assert.deepEqual(read.body, { id, created_at, updated_at, ...rest })
  assert.equal(revisionOf(read.headers), 1)
})

test('without a key the template makes one, and the numbers continue where the factory was', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const register = () =>
    call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id },
    })
  const create = () =>
    call('POST', devicesOf(app), { as: staff(app), body: { template_id: seed.template.id } })
  assert.equal((await register()).body.device_key, 'S-1')
  const created = await create()
  assert.equal(created.body.device_key, 'S-2')
  assert.equal(created.body.name, 'S-2')
  assert.equal((await register()).body.device_key, 'S-3')
})

test('a serial that another device has is passed over', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  for (const device_key of ['S-1', 'S-2']) {
    await call('POST', devicesOf(app), { as: staff(app), body: { device_key } })
  }
  const body = { template_id: seed.template.id }
  const created = await call('POST', devicesOf(app), { as: staff(app), body })
  assert.equal(created.body.device_key, 'S-3')
})

test('a refused creation uses no number', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const body = { template_id: seed.template.id, hardware_id: 'h' }
  assert.equal(
    (await call('POST', devicesOf(app), { as: staff(app), body })).body.device_key,
    'S-1',
  )
  for (let tries = 0; tries < 3; tries += 1) {
    const refused = await call('POST', devicesOf(app), { as: staff(app), body })
    assert.equal(refused.status, 409)
    assert.equal(refused.body.code, 'hardware_id_taken')
  }
  const next = { template_id: seed.template.id }
  const created = await call('POST', devicesOf(app), { as: staff(app), body: next })
  assert.equal(created.body.device_key, 'S-2')
})

test('exactly one of many devices with one key, or one hardware id, is made', async (t) => {
  const app = await freshTenants(t)
  const { call } = app
  const create = (body: unknown) => call('POST', devicesOf(app), { as: staff(app), body })
  for (const [make, code] of [
    [() => ({ device_key: 'one' }), 'device_key_taken'],
    [(index: number) => ({ device_key: `h${index}`, hardware_id: 'h' }), 'hardware_id_taken'],
  ] as const) {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(make(index))),
    )
    assert.equal(responses.filter(({ status }) => status === 201).length, 1)
    const refused = responses.filter(({ status }) => status === 409)
    assert.equal(refused.length, 19)
    for (const { body } of refused) assert.equal(body.code, code)
  }
})

test('many devices that one template makes at once have keys of their own', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const body = { template_id: seed.template.id }
  const responses = await Promise.all(
    Array.from({ length: 40 }, () => call('POST', devicesOf(app), { as: staff(app), body })),
  )
  const numbers = responses.map((response) => Number(response.body.device_key.slice(2)))
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, index) => index + 1),
  )
})

test('a repeated request with an Idempotency-Key makes one device and shows one password', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const options = {
    as: staff(app),
    headers: { 'idempotency-key': 'creation-1' },
    body: { template_id: seed.template.id },
  }
  const responses = [await call('POST', devicesOf(app), options)]
  responses.push(await call('POST', devicesOf(app), options))
  assert.equal(responses[0]?.status, 201)
  assert.equal(responses[1]?.text, responses[0]?.text)
  const { body } = await call('GET', devicesOf(app), { as: staff(app) })
  assert.equal(body.items.length, 1)
})

test('a patch changes what it names, and null removes', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  await defineFields(app, { deep: 'json', list: 'json' })
  const { body: before } = await call('POST', devicesOf(app), {
    as: staff(app),
    body: {
      template_id: seed.template.id,
      tags: { a: '1', b: '2' },
      custom_fields: { deep: { x: 1, y: 2 }, list: [1, 2] },
      config: { on: true },
    },
  })
  const path = `${devicesOf(app)}/${before.id}`
  const patched = await call('PATCH', path, {
    as: staff(app),
    body: {
      name: 'New',
      tags: { a: null, c: '3' },
      custom_fields: { deep: { x: null }, list: [3] },
      template_id: null,
    },
  })
  assert.equal(patched.status, 200, patched.text)
  assert.equal(revisionOf(patched.headers), 2)
  const { mqtt_credentials, device_http_token, ...view } = before
  assert.ok(mqtt_credentials && device_http_token)
  assert.deepEqual(patched.body, {
    ...view,
    name: 'New',
    tags: { b: '2', c: '3' },
    custom_fields: { deep: { y: 2 }, list: [3] },
    template_id: null,
    updated_at: patched.body.updated_at,
  })
  const again = await call('PATCH', path, {
    as: staff(app),
    body: { template_id: seed.template.id, config: { on: null, off: {} } },
  })
  assert.equal(again.body.template_id, seed.template.id)
  assert.deepEqual(again.body.config, { off: {} })
})

test('a change from an old revision is refused', async (t) => {
  const app = await freshTenants(t)
  const { call } = app
  const created = await call('POST', devicesOf(app), {
    as: staff(app),
    body: { device_key: 'k' },
  })
  const path = `${devicesOf(app)}/${created.body.id}`
  const headers = { 'if-match': '"1"' }
  const patches = await Promise.all(
    ['a', 'b', 'c'].map((name) => call('PATCH', path, { as: staff(app), headers, body: { name } })),
  )
  const statuses = patches.map(({ status }) => status).sort((a, b) => a - b)
  assert.deepEqual(statuses, [200, 412, 412])
  assert.equal((await call('DELETE', path, { as: staff(app), headers })).status, 412)
})

test('changes of one device at once are all kept', async (t) => {
  const app = await freshTenants(t)
  const { call } = app
  const created = await call('POST', devicesOf(app), { as: staff(app), body: { device_key: 'k' } })
  const path = `${devicesOf(app)}/${created.body.id}`
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call('PATCH', path, { as: staff(app), body: { tags: { [`t${index}`]: 'x' } } }),
    ),
  )
  const { body } = await call('GET', path, { as: staff(app) })
  assert.equal(Object.keys(body.tags).length, 20)
})

test('a deleted device is gone with its secrets, presence, state and claim', async (t) => {
  const app = await freshTenants(t)
  const { call, database, seed, services } = app
  const { body: device } = await call('POST', devicesOf(app), {
    as: staff(app),
    body: { device_key: 'k' },
  })
  const path = `${devicesOf(app)}/${device.id}`
  const written = await call('PUT', `${path}/state`, { as: staff(app), body: { state: {} } })
  assert.equal(written.status, 200)
  const token = as.device(device.device_http_token)
  assert.equal((await call('GET', '/devices/auth/me', { as: token })).status, 200)
  const before = services.feed.sequence
  assert.equal((await call('DELETE', path, { as: staff(app) })).status, 204)
  assert.ok(services.feed.sequence > before)
  assert.equal((await call('GET', '/devices/auth/me', { as: token })).status, 401)
  for (const [method, suffix] of [
    ['DELETE', ''],
    ['GET', ''],
    ['GET', '/state'],
    ['POST', '/suspend'],
    ['POST', '/resume'],
    ['POST', '/decommission'],
    ['POST', '/disconnect'],
    ['POST', '/credentials/reset'],
  ] as const) {
    const body = method === 'POST' ? {} : undefined
    const response = await call(method, `${path}${suffix}`, { as: staff(app), body })
    assert.equal(response.status, 404, `${method} ${suffix}`)
    assert.equal(response.body.code, 'device_not_found')
  }
  for (const table of ['devices', 'device_secrets', 'device_presence', 'device_states']) {
    const count = unnamed(`SELECT count(*) AS n FROM ${table} WHERE workspace_id = $1`)
    assert.deepEqual(await database.query(count, [seed.uuid]), [{ n: 0 }], table)
  }
  const again = await call('POST', devicesOf(app), { as: staff(app), body: { device_key: 'k' } })
  assert.equal(again.status, 201)
  assert.notEqual(again.body.id, device.id)
})

test('creation, change and deletion are recorded, without any secret', async (t) => {
  const app = await freshTenants(t)
  const { call, database, seed } = app
  const { body: device } = await call('POST', devicesOf(app), {
    as: staff(app),
    body: { device_key: 'k', template_id: seed.template.id },
  })
  const path = `${devicesOf(app)}/${device.id}`
  await call('PATCH', path, { as: staff(app), body: { name: 'New' } })
  await call('DELETE', path, { as: staff(app) })
  const events = await database.query<{ type: string; data: object; subject_id: string }>(
    unnamed('SELECT type, data FROM events WHERE workspace_id = $1 ORDER BY id'),
    [seed.uuid],
  )
  const device_id = device.id
  assert.deepEqual(events, [
    {
      type: 'device.registered',
      data: { device_id, device_key: 'k', template_id: seed.template.id },
    },
    { type: 'device.updated', data: { device_id, changed: ['name'] } },
    { type: 'device.deleted', data: { device_id, device_key: 'k' } },
  ])
  const audit = await database.query<{ action: string; detail: object }>(
    unnamed('SELECT action, detail FROM audit_log WHERE workspace_id = $1 ORDER BY id'),
    [seed.uuid],
  )
  assert.deepEqual(
    audit.map(({ action }) => action),
    ['device.registered', 'device.updated', 'device.deleted'],
  )
  assert.deepEqual(audit[1]?.detail, {
    device_id,
    changed: ['name'],
    before: { name: 'k' },
    after: { name: 'New' },
  })
  assert.doesNotMatch(JSON.stringify([events, audit]), /mqp_|dht_/)
})

test('a first device and a change of the slug at once agree on how its topics begin', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  for (let round = 0; round < 6; round += 1) {
    const [created, renamed] = await Promise.all([
      call('POST', devicesOf(app), { as: staff(app), body: { device_key: `k${round}` } }),
      call('PATCH', `/workspaces/${seed.id}`, {
        as: staff(app),
        body: { slug: `slug-${round}` },
      }),
    ])
    assert.equal(created.status, 201)
    assert.ok([200, 409].includes(renamed.status))
    const { body: workspace } = await call('GET', `/workspaces/${seed.id}`, { as: staff(app) })
    const [prefix] = created.body.mqtt_credentials.topic_prefix.split('/')
    assert.equal(prefix, workspace.slug)
    await call('DELETE', `${devicesOf(app)}/${created.body.id}`, { as: staff(app) })
  }
})
