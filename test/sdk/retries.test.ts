/** The requests that the client repeats, when, and that nothing takes effect twice. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createClient, MooringError } from '../../sdk/client.ts'
import type { TestApp } from '../support/app.ts'
import { useTenants } from '../support/suite-app.ts'
import { type Fate, startFront } from './front.ts'

const freshTenants = useTenants()

async function behind(t: TestContext, fates: readonly Fate[], options = {}) {
  const app: TestApp = await freshTenants(t)
  const { url, seen } = await startFront(t, app.origin, fates)
  const client = createClient({ baseUrl: url, apiKey: app.seed.platformKey, ...options })
  return { app, client, seen, params: { id: app.seed.id } }
}

const template = { model_key: 'lamp', name: 'Lamp', serial_format: 'L-%#f' }
const away: Fate = { status: 503, headers: { 'retry-after': '1' } }
const busy: Fate = { status: 429, headers: { 'retry-after': '1' } }

const isRefusal = (status: number) => (error: unknown) =>
  error instanceof MooringError && error.status === status

test('a POST whose response was lost is repeated with its key, and takes effect once', async (t) => {
  const { app, client, seen, params } = await behind(t, ['lose', 'cut'])
  const { status, body, headers } = await client.request('createDeviceTemplate', {
    params,
    body: template,
  })
  assert.equal(status, 201)
  assert.equal(headers.get('idempotent-replayed'), 'true')
  const keys = seen.map((each) => each.headers['idempotency-key'])
  assert.equal(seen.length, 3)
  assert.equal(new Set(keys).size, 1)
  const { rows } = await app.database.pool.query(
    'SELECT model_key FROM device_templates WHERE workspace_id = $1 AND model_key = $2',
    [app.seed.uuid, body?.model_key],
  )
  assert.equal(rows.length, 1)
})

test('each call has a key of its own, unless the caller gives one', async (t) => {
  const { client, seen, params } = await behind(t, [])
  const headers = { 'idempotency-key': 'mine' }
  for (const each of [{}, {}, { headers }]) {
    const body = { ...template, model_key: `lamp-${seen.length}` }
    await client.call('createDeviceTemplate', { params, body, ...each })
  }
  const [one, other, own] = seen.map((each) => each.headers['idempotency-key'])
  assert.match(String(one), /^[0-9a-f]{32}$/)
  assert.notEqual(one, other)
  assert.equal(own, 'mine')
})

test('a GET is repeated when its body breaks off', async (t) => {
  const { client, seen, params } = await behind(t, ['lose', 'cut', 'cut'])
  assert.equal((await client.call('getWorkspace', { params })).id, params.id)
  assert.equal(seen.length, 4)
})

test('a change that has no key is not repeated when its response is lost', async (t) => {
  const { client, seen, params } = await behind(t, ['lose', away])
  const change = () => client.call('updateWorkspace', { params, body: { name: 'New' } })
  await assert.rejects(change(), TypeError)
  await assert.rejects(change(), isRefusal(503))
  assert.equal(seen.length, 2)
})

test('a refusal for a time is repeated after Retry-After, a change without a key too', async (t) => {
  const { client, seen, params } = await behind(t, [busy, away])
  await assert.rejects(
    client.call('updateWorkspace', { params, body: { name: 'New' } }),
    isRefusal(503),
  )
  assert.equal((await client.call('getWorkspace', { params })).id, params.id)
  assert.equal(seen.length, 3)
  const [first, second] = seen.map(({ atMs }) => atMs)
  assert.ok((second ?? 0) - (first ?? 0) >= 999, 'it waited a second')
})

test('a refusal with a long wait is not repeated, and contains the wait', async (t) => {
  const long: Fate = { status: 429, headers: { 'retry-after': '3600' } }
  const { client, seen, params } = await behind(t, [long])
  const error = await client.call('getWorkspace', { params }).catch((each: unknown) => each)
  assert.ok(error instanceof MooringError)
  assert.equal(error.retryAfter, 3600)
  assert.equal(seen.length, 1)
})

test('a final refusal is not repeated', async (t) => {
  const { client, seen, params } = await behind(t, [])
  await assert.rejects(
    client.call('getDevice', { params: { ...params, device_id: 'dev_x' } }),
    (error) => error instanceof MooringError && error.code === 'device_not_found',
  )
  assert.equal(seen.length, 1)
})

test('attempts are bounded, and what a proxy answers has no code', async (t) => {
  const page: Fate = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad' }
  const { client, seen, params } = await behind(t, [page, page, page], { retries: 2 })
  await assert.rejects(
    client.call('getWorkspace', { params }),
    (error) => error instanceof MooringError && error.code === 'unknown' && error.status === 502,
  )
  assert.equal(seen.length, 3)
})

test('the wait for another attempt ends when the call is aborted', async (t) => {
  const { client, seen, params } = await behind(t, [{ ...busy, headers: { 'retry-after': '50' } }])
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 100)
  await assert.rejects(client.call('getWorkspace', { params, signal: controller.signal }), {
    name: 'AbortError',
  })
  assert.equal(seen.length, 1)
})
