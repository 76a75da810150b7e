/** The state of a device as a stream: nothing newer is missed, nothing is sent twice. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { writeStates } from '../../../../src/features/mqtt/sessions/store.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type Headers, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { listen, type Listener } from '../../../support/event-stream.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

async function makeDevice({ call, seed }: TestApp): Promise<{ id: string; path: string }> {
  const devices = `/workspaces/${seed.id}/devices`
  const body = { device_key: 'k' }
  const made = await call('POST', devices, { as: as.platformKey(seed.platformKey), body })
  return { id: made.body.id, path: `${devices}/${made.body.id}/state` }
}

const put = ({ call, seed }: TestApp, path: string, state: object) =>
  call('PUT', path, { as: as.platformKey(seed.platformKey), body: { state } })

async function open(
  t: TestContext,
  { url, seed }: TestApp,
  path: string,
  headers: Headers = {},
): Promise<Listener> {
  const listener = await listen(`${url}${path}`, {
    ...as.platformKey(seed.platformKey),
    ...headers,
  })
  defer(t, () => listener.close())
  return listener
}

const statesOf = ({ heard }: Listener): unknown[] =>
  heard.map(({ type, data }) => (type === 'state' ? data.state : type))

test('a stream begins with the present state, and sends each that the API or the device makes', async (t) => {
  const app = await freshTenants(t)
  const { id, path } = await makeDevice(app)
  await put(app, path, { n: 1 })
  const listener = await open(t, app, path)
  await listener.hear(1)
  const second = await put(app, path, { n: 2 })
  await listener.hear(2)
  assert.deepEqual(listener.heard[1]?.data, second.body)
  const version = second.body.version + 1_000_000
  const deviceId = parseId('dev', id) ?? ''
  await writeStates(app.database, [
    { workspaceId: app.seed.uuid, deviceId, state: '{"n":3}', version },
  ])
  await listener.hear(3)
  assert.deepEqual(statesOf(listener), [{ n: 1 }, { n: 2 }, { n: 3 }])
  assert.equal(listener.lastId, String(version))
})

test('a device without a state sends its first one, and a missing device is a 404', async (t) => {
  const app = await freshTenants(t)
  const { path } = await makeDevice(app)
  const listener = await open(t, app, path)
  assert.equal(listener.status, 200)
  await put(app, path, { first: true })
  await listener.hear(1)
  assert.deepEqual(statesOf(listener), [{ first: true }])
  const missing = await open(t, app, path.replace(/dev_\w+/, `dev_${'0'.repeat(26)}`))
  assert.equal(missing.status, 404)
  assert.match(missing.text, /device_not_found/)
})

test('a listener that reconnects gets newer states only, and none twice', async (t) => {
  const app = await freshTenants(t)
  const { path } = await makeDevice(app)
  const { body } = await put(app, path, { n: 1 })
  const again = await open(t, app, path, { 'last-event-id': String(body.version) })
  await put(app, path, { n: 2 })
  await again.hear(1)
  assert.deepEqual(statesOf(again), [{ n: 2 }])
})

test('a stream ends with the device, and shows nothing of another workspace', async (t) => {
  const app = await freshTenants(t)
  const { id, path } = await makeDevice(app)
  await put(app, path, { n: 1 })
  const foreign = path.replace(app.seed.id, `ws_${'0'.repeat(26)}`)
  assert.ok((await open(t, app, foreign)).status >= 400)
  const listener = await open(t, app, path)
  await listener.hear(1)
  const caller = { as: as.platformKey(app.seed.platformKey) }
  const device = path.slice(0, path.indexOf(id) + id.length)
  const status = (action: string) => app.call('POST', `${device}/${action}`, caller)
  const gone = await status('decommission')
  assert.equal(gone.status, 200, gone.text)
  const deleted = await app.call('DELETE', device, caller)
  assert.equal(deleted.status, 204, deleted.text)
  assert.equal(await listener.end(), 'cut')
})
