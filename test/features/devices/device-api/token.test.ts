/** The device HTTP token: the operations that it opens, its end, and how a new one takes over. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  destroyDeviceSecrets,
  generateDeviceSecrets,
  resetDeviceSecrets,
} from '../../../../src/features/mqtt/device-secrets/device-secret.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { newDevice, newDevices, type TestDevice } from '../../../support/phones-and-devices.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const me = async (app: TestApp, token: string): Promise<number> =>
  (await app.call('GET', '/devices/auth/me', { as: as.device(token) })).status

/** Asks again until the other process has heard of a change. */
const soon = (what: () => Promise<boolean>): Promise<boolean> =>
  until('the other process has received the change', what)

async function setStatus(app: TestApp, { uuid }: TestDevice, status: string): Promise<void> {
  await app.database.transaction(async (trx) => {
    const text = 'UPDATE devices SET status = $2 WHERE id = $1'
    await trx.query({ name: undefined, text }, [uuid, status])
    await app.services.feed.announce(trx, 'device', uuid)
  })
}

describe('a device HTTP token', () => {
  test('identifies the device, whatever else the request contains', async (t) => {
    const app = await freshTenants(t)
    const [device, other] = await newDevices(app, 2)
    assert.ok(device && other)
    await app.database.pool.query(`UPDATE devices SET tags = '{"line":"3"}' WHERE id = $1`, [
      device.uuid,
    ])
    const { status, body } = await device.call('GET', '/devices/auth/me')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      device_id: device.id,
      device_key: `k-${device.uuid}`,
      workspace_id: app.seed.id,
      workspace_slug: app.seed.slug,
      name: 'Device',
      template_id: app.seed.template.id,
      status: 'registered',
      approval: 'approved',
      claimed: false,
      claimed_at: null,
      rotation_due: false,
      tags: { line: '3' },
    })
    const query = await device.call('GET', `/devices/auth/me?device_id=${other.id}`)
    assert.deepEqual([query.status, query.body], [200, body])
  })

  test('opens /devices/auth only, and no other credential opens that', async (t) => {
    const app = await freshTenants(t)
    const device = await newDevice(app)
    const ask = async (path: string, headers: Record<string, string>) =>
      (await app.call('GET', path, { as: headers })).status
    for (const path of ['/moid/me', '/workspaces', '/provision/device-templates']) {
      assert.equal(await ask(path, as.device(device.token)), 403, path)
    }
    const { owner, platformKey, provisionKey } = app.seed
    const path = '/devices/auth/me'
    assert.equal(await ask(path, as.user(owner.token)), 403)
    assert.equal(await ask(path, as.platformKey(platformKey)), 403)
    assert.equal(await ask(path, as.factory(provisionKey)), 403)
    assert.equal(await ask(path, { 'x-api-key': device.token }), 401)
    assert.equal(await ask(path, { 'service-auth-code': device.token }), 401)
    const { token } = device
    const mistyped = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')
    for (const bad of [mistyped, token.slice(0, -1), `${token}A`, token.toUpperCase(), 'dht_']) {
      assert.equal(await ask(path, as.device(bad)), 401)
    }
    const unknown = generateDeviceSecrets(app.services.keyring).deviceHttpToken
    assert.equal(await ask(path, as.device(unknown)), 401)
    const { mqttPassword } = generateDeviceSecrets(app.services.keyring)
    assert.equal(await ask(path, as.device(mqttPassword)), 401)
  })

  test('is refused while the device is suspended, by every process', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const device = await newDevice(app)
    assert.equal(await me(app, device.token), 200)
    assert.equal(await me(sibling, device.token), 200)
    for (const status of ['suspended', 'decommissioned']) {
      await setStatus(app, device, status)
      assert.equal(await me(app, device.token), 401)
      await soon(async () => (await me(sibling, device.token)) === 401)
      await setStatus(app, device, 'active')
      assert.equal(await me(app, device.token), 200)
    }
  })

  test('is refused when the device is reset, decommissioned or deleted', async (t) => {
    const app = await freshTenants(t)
    const { services, database, seed } = app
    const [reset, stripped, deleted] = await newDevices(app, 3)
    assert.ok(reset && stripped && deleted)
    for (const { token } of [reset, stripped, deleted]) assert.equal(await me(app, token), 200)
    const generated = generateDeviceSecrets(services.keyring)
    await database.transaction((trx) =>
      resetDeviceSecrets(services, trx, seed.uuid, reset.uuid, generated),
    )
    await database.transaction(async (trx) => {
      await destroyDeviceSecrets.run(trx, { workspaceId: seed.uuid, deviceIds: [stripped.uuid] })
      await services.feed.announce(trx, 'device', stripped.uuid)
    })
    await database.transaction(async (trx) => {
      const text = 'DELETE FROM devices WHERE id = $1'
      await trx.query({ name: undefined, text }, [deleted.uuid])
      await services.feed.announce(trx, 'device', deleted.uuid)
    })
    for (const { token } of [reset, stripped, deleted]) assert.equal(await me(app, token), 401)
    assert.equal(await me(app, generated.deviceHttpToken), 200)
  })

  test('of a rotation replaces the old one at its first use, on every process', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const device = await newDevice(app)
    const tokens: string[] = []
    for (let at = 0; at < 3; at += 1) {
      const rotated = await device.call('POST', '/devices/auth/credentials/rotate', {})
      assert.equal(rotated.status, 200)
      tokens.push(rotated.body.device_http_token)
    }
    const [first, second, third] = tokens as [string, string, string]
    assert.equal(await me(app, device.token), 200)
    assert.equal(await me(sibling, device.token), 200)
    assert.equal(await me(app, second), 200)
    for (const dead of [device.token, first]) {
      assert.equal(await me(app, dead), 401)
      await soon(async () => (await me(sibling, dead)) === 401)
    }
    // A later response may have been the one that arrived.
    assert.equal(await me(sibling, third), 200)
    await soon(async () => (await me(app, second)) === 401)
    assert.equal(await me(app, third), 200)
  })

  test('of a rotation that was never used admits only until it expires', async (t) => {
    const app = await freshTenants(t)
    const device = await newDevice(app)
    const rotated = await device.call('POST', '/devices/auth/credentials/rotate', {})
    await app.database.pool.query(
      `UPDATE device_secrets SET expires_at = now() WHERE expires_at IS NOT NULL`,
    )
    assert.equal(await me(app, rotated.body.device_http_token), 401)
    assert.equal(await me(app, device.token), 200)
  })

  test('used for the first time by many requests at once admits them all', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const device = await newDevice(app)
    const rotated = await device.call('POST', '/devices/auth/credentials/rotate', {})
    const token = rotated.body.device_http_token
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, at) => me(at % 2 ? app : sibling, token)),
    )
    assert.ok(responses.every((status) => status === 200))
  })
})

describe('GET /devices/auth/config', () => {
  test("is the template's default with the device's own members over it", async (t) => {
    const app = await freshTenants(t)
    const device = await newDevice(app)
    const config = async () => (await device.call('GET', '/devices/auth/config')).body.config
    assert.deepEqual(await config(), {})
    await app.database.pool.query(
      `UPDATE device_templates SET default_config = '{"a":{"x":1,"y":2},"b":1}' WHERE id = $1`,
      [app.seed.template.uuid],
    )
    await app.database.pool.query(`UPDATE devices SET config = '{"a":{"x":3},"c":[1,{"d":null}]}'`)
    assert.deepEqual(await config(), { a: { x: 3 }, b: 1, c: [1, { d: null }] })
    await app.database.pool.query('UPDATE devices SET template_id = NULL')
    assert.deepEqual(await config(), { a: { x: 3 }, c: [1, { d: null }] })
  })
})
