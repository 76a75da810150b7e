/** Two services on one database: a credential revoked through one is refused by the other. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { defaultTimeouts } from '../../src/app/database.ts'
import { as, type StartOptions, startApp, type TestApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { connectDevice, tryConnect } from '../support/mqtt.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'
import { until } from '../support/until.ts'

/** For a busy machine. `npm run bench -- revoke` measures the promise, which is one second. */
const BOUND_MS = 120_000

/** A service whose database can be cut off; it gives up as soon as services do. */
const behind = ({ connection }: Proxy): StartOptions => ({ connection, timeouts: defaultTimeouts })

const readWorkspace = ({ call, seed }: TestApp, key = seed.platformKey) =>
  call('GET', `/workspaces/${seed.id}`, { as: as.platformKey(key) })

async function createKey({ call, seed }: TestApp, kind: string) {
  const { body } = await call('POST', `/workspaces/${seed.id}/api-keys`, {
    as: as.platformKey(seed.platformKey),
    body: { key_kind: kind },
  })
  return body as { id: string; key: string }
}

const revoke = ({ call, seed }: TestApp, keyId: string) =>
  call('DELETE', `/workspaces/${seed.id}/api-keys/${keyId}`, { as: as.user(seed.owner.token) })

describe('two processes on one database', () => {
  test('a key revoked through one is refused by both', async (t) => {
    const one = await startApp(t)
    const two = await one.sibling()
    const key = await createKey(one, 'platform')
    assert.equal((await readWorkspace(two, key.key)).status, 200)
    assert.equal((await revoke(one, key.id)).status, 204)
    assert.equal(
      (await readWorkspace(one, key.key)).status,
      401,
      'the process that revoked the key refuses it at once',
    )
    const refused = async () => (await readWorkspace(two, key.key)).status === 401
    await until('the other process refuses it', refused, BOUND_MS)
  })

  test('a key is still refused when every database connection was lost meanwhile', async (t) => {
    const connection = await cloneDatabase(t)
    const one = await startApp(t, { connection })
    const proxy = await startProxy(t, connection)
    const { masterKey, seed } = one
    const two = await startApp(t, { ...behind(proxy), masterKey, seed })
    const key = await createKey(one, 'platform')
    assert.equal((await readWorkspace(two, key.key)).status, 200)
    proxy.reset()
    await revoke(one, key.id)
    const refused = async () => (await readWorkspace(two, key.key)).status === 401
    await until('it is refused', refused, BOUND_MS)
  })

  test('without its database, a process admits nobody from its caches', async (t) => {
    const connection = await cloneDatabase(t)
    const one = await startApp(t, { connection })
    const proxy = await startProxy(t, connection)
    const { masterKey, seed } = one
    const two = await startApp(t, { ...behind(proxy), masterKey, seed })
    const key = await createKey(one, 'platform')
    assert.equal((await readWorkspace(two, key.key)).status, 200)
    proxy.freeze()
    await revoke(one, key.id)
    await sleep(1_000)
    const response = await readWorkspace(two, key.key)
    assert.equal(response.status, 503, 'the process cannot decide and reports that')
    assert.ok(response.headers['retry-after'])
    proxy.thaw()
    const refused = async () => (await readWorkspace(two, key.key)).status === 401
    await until('it is refused', refused, BOUND_MS)
    const good = async () => (await readWorkspace(two)).status === 200
    await until('the process recovers', good, BOUND_MS)
  })

  test('a suspended device is disconnected and refused by both; resumed, it reconnects', async (t) => {
    const one = await startApp(t)
    const two = await one.sibling()
    const { call, seed } = one
    const key = as.platformKey(seed.platformKey)
    const { body: device } = await call('POST', '/provision/device', {
      as: as.factory(seed.provisionKey),
      body: { template_id: seed.template.id },
    })
    const there = { ...device, mqtt_port: two.app.ports.mqtt }
    const live = await connectDevice(t, there)
    const path = `/workspaces/${seed.id}/devices/${device.device_id}`
    assert.equal((await call('POST', `${path}/suspend`, { as: key })).status, 200)
    await until('the session is disconnected', () => !live.connected, BOUND_MS)
    assert.notEqual((await tryConnect(t, there)).code, 0)
    assert.notEqual((await tryConnect(t, device)).code, 0)
    assert.equal((await call('POST', `${path}/resume`, { as: key })).status, 200)
    const admitted = async () => (await tryConnect(t, there)).code === 0
    await until('it is admitted again', admitted, BOUND_MS)
  })

  test('when one process ends, the other continues with everything', async (t) => {
    const one = await startApp(t)
    const two = await one.sibling()
    const { body: device } = await one.call('POST', '/provision/device', {
      as: as.factory(one.seed.provisionKey),
      body: { template_id: one.seed.template.id, hardware_id: 'hw' },
    })
    await one.close()
    const again = await two.call('POST', '/provision/device', {
      as: as.factory(one.seed.provisionKey),
      body: { template_id: one.seed.template.id, hardware_id: 'hw' },
    })
    assert.equal(again.body.mqtt_password, device.mqtt_password)
    assert.equal((await tryConnect(t, { ...device, mqtt_port: two.app.ports.mqtt })).code, 0)
  })
})
