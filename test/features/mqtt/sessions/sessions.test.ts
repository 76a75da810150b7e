/** An action of staff on a device applies to its live MQTT session within moments. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MqttClient } from 'mqtt'
import { transitions } from '../../../../src/features/devices/registry/store.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { connectDevice, type DeviceLogin, tryConnect } from '../../../support/mqtt.ts'
import { revisionOf } from '../../../support/revision.ts'
import { until } from '../../../support/until.ts'
import { useTenants } from '../../../support/suite-app.ts'

const freshTenants = useTenants()

interface Online {
  path: string
  login: DeviceLogin
  client: MqttClient
}

const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)

const loginOf = (id: string, response: CallResult): DeviceLogin => ({
  device_id: id,
  mqtt_password: response.body.mqtt_credentials.password,
  mqtt_port: response.body.mqtt_credentials.port,
})

async function online(t: TestContext, app: TestApp, body: object = {}): Promise<Online> {
  const devices = `/workspaces/${app.seed.id}/devices`
  const created = await app.call('POST', devices, {
    as: staff(app),
    body: { device_key: `k${Math.random().toString(36).slice(2)}`, ...body },
  })
  const login = loginOf(created.body.id, created)
  const client = await connectDevice(t, login, { protocolVersion: 5 })
  const path = `${devices}/${created.body.id}`
  await until('the device is shown as connected', async () => {
    const shown = await app.call('GET', path, { as: staff(app) })
    return shown.body.connected && shown.body.status === 'active' && shown.body.last_seen_at
  })
  return { path, login, client }
}

const post = (app: TestApp, path: string) => app.call('POST', path, { as: staff(app), body: {} })
const isDisconnected = ({ client }: Online) =>
  until('the session is disconnected', () => !client.connected)

test('the credentials of a created device admit it, and its connection is shown', async (t) => {
  const app = await freshTenants(t)
  const device = await online(t, app)
  device.client.end(true)
  await until('the device is shown as gone', async () => {
    const shown = await app.call('GET', device.path, { as: staff(app) })
    return !shown.body.connected && shown.body.last_seen_at
  })
})

test('a suspended device is disconnected, and refused until it is resumed', async (t) => {
  const app = await freshTenants(t)
  const device = await online(t, app)
  await post(app, `${device.path}/suspend`)
  await isDisconnected(device)
  assert.notEqual((await tryConnect(t, device.login)).code, 0)
  assert.equal((await post(app, `${device.path}/resume`)).body.status, 'active')
  assert.equal((await tryConnect(t, device.login)).code, 0)
})

test('a session does not outlive a suspension that nobody saw before it was over', async (t) => {
  const app = await freshTenants(t)
  const device = await online(t, app)
  const uuid = parseId('dev', device.login.device_id) ?? ''
  const { feed, db } = app.services
  await db.transaction(async (trx) => {
    for (const step of ['suspend', 'resume'] as const) {
      const sessionsFrom = Date.now() * 1_000
      await transitions[step].run(trx, { workspaceId: app.seed.uuid, ids: [uuid], sessionsFrom })
    }
    await feed.announce(trx, 'device', uuid)
  })
  await isDisconnected(device)
  const shown = await app.call('GET', device.path, { as: staff(app) })
  assert.equal(shown.body.status, 'active')
})

test('disconnecting ends the session and nothing else', async (t) => {
  const app = await freshTenants(t)
  const device = await online(t, app)
  const before = await app.call('GET', device.path, { as: staff(app) })
  const response = await post(app, `${device.path}/disconnect`)
  assert.equal(response.status, 204)
  await isDisconnected(device)
  const client = await connectDevice(t, device.login)
  // A change may be heard of more than once; the new session is none of its business.
  const { feed, db } = app.services
  await feed.announce(db, 'device', parseId('dev', device.login.device_id) ?? '')
  await sleep(600)
  assert.equal(client.connected, true)
  const after = await app.call('GET', device.path, { as: staff(app) })
  assert.equal(revisionOf(after.headers), revisionOf(before.headers))
  assert.equal(after.body.status, 'active')
})

test('a reset invalidates the old password and ends the session; the new password is accepted', async (t) => {
  const app = await freshTenants(t)
  const device = await online(t, app)
  const reset = await post(app, `${device.path}/credentials/reset`)
  assert.equal(reset.status, 200)
  assert.equal(reset.headers['cache-control'], 'no-store')
  assert.equal(reset.body.device_id, device.login.device_id)
  await isDisconnected(device)
  assert.notEqual((await tryConnect(t, device.login)).code, 0)
  const login = loginOf(device.login.device_id, reset)
  assert.equal((await tryConnect(t, login)).code, 0)
  const me = await app.call('GET', '/devices/auth/me', {
    as: as.device(reset.body.device_http_token),
  })
  assert.equal(me.status, 200)
})

test('the last password of many concurrent resets is the only one that is accepted', async (t) => {
  const app = await freshTenants(t)
  const device = await online(t, app)
  const resets = await Promise.all(
    Array.from({ length: 8 }, () => post(app, `${device.path}/credentials/reset`)),
  )
  const codes = []
  for (const reset of resets) {
    assert.equal(reset.status, 200)
    codes.push((await tryConnect(t, loginOf(device.login.device_id, reset))).code)
  }
  assert.equal(codes.filter((code) => code === 0).length, 1)
})

for (const [name, end] of [
  ['decommissioned', (app: TestApp, path: string) => post(app, `${path}/decommission`)],
  ['deleted', (app: TestApp, path: string) => app.call('DELETE', path, { as: staff(app) })],
] as const) {
  test(`a ${name} device is disconnected and never admitted again`, async (t) => {
    const app = await freshTenants(t)
    const device = await online(t, app)
    await end(app, device.path)
    await isDisconnected(device)
    assert.notEqual((await tryConnect(t, device.login)).code, 0)
  })
}

test('a suspension through one process ends a session on another', async (t) => {
  const app = await freshTenants(t)
  const device = await online(t, app)
  const sibling = await app.sibling()
  await post(sibling, `${device.path}/suspend`)
  await isDisconnected(device)
})

test('other topic rules reach a live session, which continues', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const templates = `/workspaces/${seed.id}/device-templates`
  const only = (name: string) => [
    { action: 'publish', topic: `{slug}/{device_key}/${name}`, permission: 'allow' },
  ]
  const template = await call('POST', templates, {
    as: staff(app),
    body: { model_key: 'm', name: 'x', serial_format: 'M%#f', mqtt_acl: only('first') },
  })
  const device = await online(t, app, { template_id: template.body.id, device_key: 'live-rules' })
  const { client } = device
  const [session] = app.services.broker.connections(device.login.device_id)
  const codes = async () =>
    Promise.all(
      ['first', 'second', 'state'].map((name) =>
        client.publishAsync(`${seed.slug}/live-rules/${name}`, '{}', { qos: 1 }).then(
          () => 0,
          (error: { code?: number }) => error.code,
        ),
      ),
    )
  const become = (expected: number[]) =>
    until('the current rules', async () => String(await codes()) === String(expected))
  await become([0, 0x87, 0x87])
  await call('PATCH', `${templates}/${template.body.id}`, {
    as: staff(app),
    body: { mqtt_acl: only('second') },
  })
  await become([0x87, 0, 0x87])
  await call('PATCH', device.path, { as: staff(app), body: { template_id: seed.template.id } })
  await become([0x87, 0x87, 0])
  assert.ok(client.connected)
  assert.deepEqual(app.services.broker.connections(device.login.device_id), [session])
})
