/** Device templates over HTTP: created, listed, read, changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as } from '../../../support/app.ts'
import { revisionOf } from '../../../support/revision.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

const minimal = { model_key: 'm-1', name: 'Model', serial_format: 'M-%#f' }

const full = {
  model_key: 'Thermo.2_b',
  name: 'Thermostat 2',
  description: 'With\ntwo lines',
  serial_format: '%ws-%Y%M-%#f-%4r',
  capabilities: ['temperature', 'set_point.day-1'],
  capability_definitions: [
    { name: 'temperature', type: 'number', unit: '°C', description: 'Of the room', min: -40.5 },
    {
      name: 'set_point.day-1',
      type: 'integer',
      mode: 'read_write',
      min: 5,
      max: 30,
      enum: [5, 20, 30],
      default: 20,
    },
  ],
  default_config: { report: { every_s: 60, 'line\nbreak': 1 }, list: [1, null, 'x'] },
  mqtt_acl: [
    { action: 'publish', topic: '{slug}/{device_key}/telemetry', permission: 'allow' },
    { action: 'subscribe', topic: '{slug}/{device_id}/#', permission: 'allow' },
    { action: 'pubsub', topic: '{slug}/shared', permission: 'deny' },
  ],
  rotation_overlap_s: 3_600,
  firmware: {
    url: 'https://firmware.example.com/a.bin?v=1',
    sha256: 'AB'.repeat(32),
    size_bytes: 1_048_576,
  },
}

const defaults = {
  description: '',
  capabilities: [],
  capability_definitions: [],
  default_config: {},
  mqtt_acl: [],
  rotation_overlap_s: 604_800,
  firmware: null,
}

test('a template is created, read and listed with everything that was sent', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const created = await call('POST', path, { as: caller, body: full })
  assert.equal(created.status, 201, created.text)
  assert.equal(created.headers.location, `/api/v1${path}/${created.body.id}`)
  assert.equal(revisionOf(created.headers), 1)
  const { id, workspace_id, created_at, updated_at, ...fields } = created.body
  assert.match(id, /^tpl_/)
  assert.equal(workspace_id, seed.id)
  assert.equal(created_at, updated_at)
  assert.equal(new Date(created_at).toISOString(), created_at)
  const firmware = { ...full.firmware, sha256: 'ab'.repeat(32) }
  assert.deepEqual(fields, { ...full, firmware })
  const read = await call('GET', `${path}/${id}`, { as: as.platformKey(seed.platformKey) })
  assert.deepEqual(read.body, created.body)
  assert.equal(revisionOf(read.headers), 1)
  const listed = await call('GET', path, { as: caller })
  assert.deepEqual(listed.body.items[0], created.body)
  assert.equal(listed.body.items.length, 2)
  const found = await call('GET', `${path}?model_key=Thermo.2_b`, { as: caller })
  assert.deepEqual(found.body, { items: [created.body], next_cursor: null })
})

test('omitted members have their documented defaults', async (t) => {
  const { call, seed } = await freshTenants(t)
  const path = `/workspaces/${seed.id}/device-templates`
  const { body } = await call('POST', path, { as: as.platformKey(seed.platformKey), body: minimal })
  const { id, workspace_id, created_at, updated_at, ...fields } = body
  assert.ok(id && workspace_id && created_at && updated_at)
  assert.deepEqual(fields, { ...minimal, ...defaults })
})

test('a patch changes what it names, merges default_config, and changes the ETag', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const { body: before } = await call('POST', path, { as: caller, body: full })
  const patch = {
    name: 'New name',
    default_config: { report: { every_s: null, jitter_s: 5 }, list: [2] },
    firmware: null,
  }
  const patched = await call('PATCH', `${path}/${before.id}`, { as: caller, body: patch })
  assert.equal(patched.status, 200, patched.text)
  assert.equal(revisionOf(patched.headers), 2)
  const {
    effect: { findings: _, ...effect },
    ...view
  } = patched.body
  const none = { value: 0, is_lower_bound: false }
  const topics = { gained: [], lost: [], is_complete: true }
  assert.deepEqual(effect, { devices: none, connected: none, topics })
  assert.deepEqual(view, {
    ...before,
    name: 'New name',
    default_config: { report: { 'line\nbreak': 1, jitter_s: 5 }, list: [2] },
    firmware: null,
    updated_at: view.updated_at,
  })
  const read = await call('GET', `${path}/${before.id}`, { as: caller })
  assert.deepEqual(read.body, view)
  const replaced = await call('PATCH', `${path}/${before.id}`, {
    as: caller,
    body: { capabilities: [], capability_definitions: [], mqtt_acl: [] },
  })
  assert.deepEqual(replaced.body.mqtt_acl, [])
  assert.deepEqual(replaced.body.capability_definitions, [])
})

test('a change from an old revision is refused, and changes nothing', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  const headers = { 'if-match': '"1"' }
  const first = await call('PATCH', path, { as: caller, headers, body: { name: 'First' } })
  assert.equal(first.status, 200)
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { name: 'Second' } : undefined
    const late = await call(method, path, { as: caller, headers, body })
    assert.equal(late.status, 412)
    assert.equal(late.body.code, 'precondition_failed')
  }
  const read = await call('GET', path, { as: caller })
  assert.equal(read.body.name, 'First')
})

test('exactly one of many templates with one model key is made', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => call('POST', path, { as: caller, body: minimal })),
  )
  const statuses = responses.map(({ status }) => status).sort((a, b) => a - b)
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)])
  const refused = responses.find(({ status }) => status === 409)
  assert.equal(refused?.body.code, 'model_key_taken')
  // Another workspace has its own names.
  const elsewhere = `/workspaces/${seed.other.id}/device-templates`
  const there = await call('POST', elsewhere, {
    as: as.platformKey(seed.other.platformKey),
    body: minimal,
  })
  assert.equal(there.status, 201)
})

test('a repeated request with an Idempotency-Key makes one template', async (t) => {
  const { call, seed } = await freshTenants(t)
  const path = `/workspaces/${seed.id}/device-templates`
  const options = {
    as: as.platformKey(seed.platformKey),
    headers: { 'idempotency-key': 'a-key' },
    body: minimal,
  }
  const first = await call('POST', path, options)
  const second = await call('POST', path, options)
  assert.equal(first.status, 201)
  assert.equal(second.text, first.text)
  assert.equal(second.headers['idempotent-replayed'], 'true')
})

test('pages go from the newest to the oldest while templates are added', async (t) => {
  const { call, seed } = await freshTenants(t)
  const caller = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/device-templates`
  const make = async (index: number): Promise<string> => {
    const body = { ...minimal, model_key: `page-${index}` }
    return (await call('POST', path, { as: caller, body })).body.id
  }
  const ids = [seed.template.id]
  for (let index = 0; index < 7; index += 1) ids.push(await make(index))
  const seen: string[] = []
  let cursor = ''
  for (let page = 0; page < 10; page += 1) {
    const { body } = await call('GET', `${path}?limit=3${cursor}`, { as: caller })
    seen.push(...body.items.map(({ id }: { id: string }) => id))
    await make(100 + page)
    if (body.next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
  assert.deepEqual(seen, ids.toReversed())
})
