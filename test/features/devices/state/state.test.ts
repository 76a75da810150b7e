/** The state of a device over HTTP, alongside what the device publishes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeStates } from '../../../../src/features/mqtt/sessions/store.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { revisionOf } from '../../../support/revision.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

interface Device {
  id: string
  uuid: string
  path: string
}

async function makeDevice({ call, seed }: TestApp): Promise<Device> {
  const devices = `/workspaces/${seed.id}/devices`
  const { body } = await call('POST', devices, {
    as: as.platformKey(seed.platformKey),
    body: { device_key: 'k' },
  })
  return { id: body.id, uuid: parseId('dev', body.id) ?? '', path: `${devices}/${body.id}/state` }
}

const caller = ({ seed }: TestApp) => ({ as: as.platformKey(seed.platformKey) })

/** As the broker's capture writes it. */
const publish = ({ database, seed }: TestApp, { uuid }: Device, state: unknown, version: number) =>
  writeStates(database, [
    { workspaceId: seed.uuid, deviceId: uuid, state: JSON.stringify(state), version },
  ])

test('a device has no state before the first one, and nothing to patch', async (t) => {
  const app = await freshTenants(t)
  const { path } = await makeDevice(app)
  for (const method of ['GET', 'PATCH']) {
    const body = method === 'PATCH' ? { state: { a: 1 } } : undefined
    const response = await app.call(method, path, { ...caller(app), body })
    assert.equal(response.status, 404)
    assert.equal(response.body.code, 'state_not_found')
  }
  const headers = { 'if-match': '"1"' }
  const put = await app.call('PUT', path, { ...caller(app), headers, body: { state: {} } })
  assert.equal(put.status, 412)
})

test('a put replaces the state, a patch merges into it, and each changes the ETag and the version', async (t) => {
  const app = await freshTenants(t)
  const { id, path } = await makeDevice(app)
  const state = { a: { b: 1, c: [1, { d: null }] }, 'line\nbreak': 'x' }
  const put = await app.call('PUT', path, { ...caller(app), body: { state } })
  assert.equal(put.status, 200, put.text)
  assert.equal(revisionOf(put.headers), 1)
  assert.equal(put.body.device_id, id)
  assert.deepEqual(put.body.state, state)
  assert.equal(new Date(put.body.version / 1_000).toISOString(), put.body.reported_at)
  const patch = { a: { b: null, e: 2 }, 'line\nbreak': null }
  const patched = await app.call('PATCH', path, { ...caller(app), body: { state: patch } })
  assert.equal(revisionOf(patched.headers), 2)
  assert.ok(patched.body.version > put.body.version)
  assert.deepEqual(patched.body.state, { a: { c: [1, { d: null }], e: 2 } })
  assert.deepEqual((await app.call('GET', path, caller(app))).body, patched.body)
  await app.call('PUT', path, { ...caller(app), body: { state: {} } })
  assert.deepEqual((await app.call('GET', path, caller(app))).body.state, {})
})

test('any JSON that the device has published is shown', async (t) => {
  const app = await freshTenants(t)
  const device = await makeDevice(app)
  let version = Date.now() * 1_000
  for (const state of [null, 7, 'on', [1, [2]], { on: true }]) {
    version += 1
    await publish(app, device, state, version)
    const { body } = await app.call('GET', device.path, caller(app))
    assert.deepEqual(body.state, state)
    assert.equal(body.version, version)
  }
})

test('the later of a message and a request stays, also against a clock that is ahead', async (t) => {
  const app = await freshTenants(t)
  const device = await makeDevice(app)
  const ahead = (Date.now() + 3_600_000) * 1_000
  await publish(app, device, { from: 'device' }, ahead)
  const put = await app.call('PUT', device.path, {
    ...caller(app),
    body: { state: { from: 'staff' } },
  })
  assert.ok(put.body.version > ahead)
  // A value read before the write and stored only now does not come back.
  await publish(app, device, { from: 'late' }, ahead)
  const kept = await app.call('GET', device.path, caller(app))
  assert.deepEqual(kept.body, put.body)
  await publish(app, device, { from: 'device again' }, put.body.version + 1)
  const shown = await app.call('GET', device.path, caller(app))
  assert.deepEqual(shown.body.state, { from: 'device again' })
})

test('all writes at once are made, and one of those that depend on an ETag', async (t) => {
  const app = await freshTenants(t)
  const { path } = await makeDevice(app)
  const first = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      app.call('PUT', path, { ...caller(app), body: { state: { index } } }),
    ),
  )
  assert.deepEqual(
    first.map(({ headers }) => revisionOf(headers) ?? 0).sort((a, b) => a - b),
    Array.from({ length: 10 }, (_, index) => index + 1),
  )
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      app.call('PATCH', path, { ...caller(app), body: { state: { [`m${index}`]: index } } }),
    ),
  )
  const merged = await app.call('GET', path, caller(app))
  assert.equal(Object.keys(merged.body.state).length, 11)
  const headers = { 'if-match': merged.headers.etag ?? '' }
  const guarded = await Promise.all(
    Array.from({ length: 5 }, (_, index) =>
      app.call('PUT', path, { ...caller(app), headers, body: { state: { index } } }),
    ),
  )
  const statuses = guarded.map(({ status }) => status).sort((a, b) => a - b)
  assert.deepEqual(statuses, [200, 412, 412, 412, 412])
})

test('a state is an object of bounded size', async (t) => {
  const app = await freshTenants(t)
  const { path } = await makeDevice(app)
  for (const state of [null, 1, 'x', [1], undefined, { x: 'y'.repeat(65_536) }]) {
    const put = await app.call('PUT', path, { ...caller(app), body: { state } })
    assert.equal(put.status, 400, JSON.stringify(state)?.slice(0, 40))
    assert.equal(put.body.errors[0].pointer, '/state')
  }
  const half = (name: string) => ({ state: { [name]: 'y'.repeat(40_000) } })
  assert.equal((await app.call('PUT', path, { ...caller(app), body: half('a') })).status, 200)
  assert.equal((await app.call('PATCH', path, { ...caller(app), body: half('b') })).status, 400)
})
