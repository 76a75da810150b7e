/**
 * The service and a Mosquitto with dynamic security: the broker enforces the decisions of the
 * service.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, describe, it, type TestContext } from 'node:test'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { type Fleet, registerDevice, staff } from '../../../support/commands.ts'
import { newDevice, newPhone, openClaim } from '../../../support/phones-and-devices.ts'
import { useApp } from '../../../support/suite-app.ts'
import { importRows } from '../../../support/transfers.ts'
import { until } from '../../../support/until.ts'
import { connected, publish, refusal, subscribe, type Watched } from '../mqtt-clients.ts'
import {
  DYNAMIC_SECURITY,
  MOSQUITTO,
  MOSQUITTO_CTRL,
  type StartedMosquitto,
  startMosquitto,
} from '../start-mosquitto.ts'
import { lacking } from '../start-program.ts'

const skip = lacking(MOSQUITTO, MOSQUITTO_CTRL, DYNAMIC_SECURITY)
const mosquitto = skip === false ? await startMosquitto() : undefined

function brokersFile({ url, username, password }: StartedMosquitto): string {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-brokers-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'brokers.json')
  const broker = { name: 'site', kind: 'mosquitto-dynsec', admin: { url, username, password } }
  writeFileSync(file, JSON.stringify({ brokers: [broker] }), { mode: 0o600 })
  return file
}

const options = { protocolVersion: 5 } as const

type Login = Pick<Fleet, 'device_id' | 'mqtt_password'>

const credentialOf = ({ device_id, mqtt_password }: Login) => ({
  username: device_id,
  clientId: device_id,
  password: mqtt_password,
  grant: undefined as never,
})

describe('a Mosquitto of the brokers file', { skip }, () => {
  const broker = mosquitto as StartedMosquitto
  const environment = mosquitto ? { MOORING_BROKERS_FILE: brokersFile(mosquitto) } : {}
  const shared = skip === false ? useApp({ environment }) : (undefined as never)
  after(() => broker.stop())

  const comesIn = (t: TestContext, device: Login): Promise<Watched> =>
    until('a device to be let in', () =>
      connected(t, broker.port, credentialOf(device), options).catch(() => undefined),
    )
  const isRefused = async (t: TestContext, device: Login): Promise<void> => {
    assert.equal(await refusal(t, broker.port, credentialOf(device), options), 0x87)
  }
  const post = (app: TestApp, { path }: Fleet, verb: string) =>
    app.call('POST', path.replace('/commands', `/${verb}`), { as: staff(app) })

  /** The broker's entry in the receipt of a response, once it is complete. */
  const siteOf = async (app: TestApp, response: CallResult) => {
    const [, receipt = ''] = /<[^>]*\/api\/v1([^>]+)>/.exec(String(response.headers.link)) ?? []
    const { nodes } = await until('the receipt to be complete', async () => {
      const { body } = await app.call('GET', `${receipt}?wait=20`, { as: staff(app) })
      return body.complete && body
    })
    return nodes.find(({ name }: { name: string }) => name === 'site')
  }

  it('accepts a device that was just registered, on its own topics', async (t) => {
    const app = shared()
    const [device, other] = [await registerDevice(app), await registerDevice(app)]
    const watched = await comesIn(t, device)
    const filters = [`${device.topic}/cmd`, `${other.topic}/cmd`, '#']
    assert.deepEqual(await subscribe(watched, filters, 1), [1, 0x87, 0x87])
    assert.equal(await publish(watched, `${device.topic}/telemetry`, { qos: 1 }), 0)
    assert.equal(await publish(watched, `${other.topic}/telemetry`, { qos: 1 }), 0x87)
    await isRefused(t, { ...device, mqtt_password: other.mqtt_password })
  })

  it('disconnects a suspended device, and accepts it again when it is resumed', async (t) => {
    const app = shared()
    const device = await registerDevice(app)
    const watched = await comesIn(t, device)
    const suspended = await post(app, device, 'suspend')
    assert.equal(suspended.status, 200)
    await until('the disconnection', () => watched.closed)
    await isRefused(t, device)
    assert.notEqual((await siteOf(app, suspended)).verified_at, null)
    assert.equal((await post(app, device, 'resume')).status, 200)
    await comesIn(t, device)
  })

  it('keeps the session of a device whose rights are narrowed, and enforces the new ones', async (t) => {
    const app = shared()
    const device = await registerDevice(app)
    const watched = await comesIn(t, device)
    const state = `${device.topic}/state`
    assert.equal(await publish(watched, state, { qos: 1 }), 0)
    const rule = { action: 'publish', topic: '{slug}/{device_key}/state', permission: 'deny' }
    const path = device.path.replace('/commands', '/acls')
    const changed = await app.call('POST', path, { as: staff(app), body: rule })
    assert.equal(changed.status, 201, changed.text)
    assert.notEqual((await siteOf(app, changed)).verified_at, null)
    assert.equal(await publish(watched, state, { qos: 1 }), 0x87)
    assert.equal(await publish(watched, `${device.topic}/telemetry`, { qos: 1 }), 0)
    assert.equal(watched.closed, false)
  })

  it('refuses the old password as soon as a reset is answered', async (t) => {
    const app = shared()
    const device = await registerDevice(app)
    const watched = await comesIn(t, device)
    const reset = await post(app, device, 'credentials/reset')
    assert.equal(reset.status, 200)
    await isRefused(t, device)
    await until('the disconnection', () => watched.closed)
    const { password } = reset.body.mqtt_credentials
    await comesIn(t, { ...device, mqtt_password: password })
  })

  it('resets nothing while the broker is unreachable, and catches up afterwards', async (t) => {
    const app = shared()
    const [device, gone] = [await registerDevice(app), await registerDevice(app)]
    await comesIn(t, device)
    await comesIn(t, gone)
    await broker.halt()
    const reset = await post(app, device, 'credentials/reset')
    assert.deepEqual([reset.status, reset.body.code], [503, 'unavailable'])
    assert.equal((await post(app, gone, 'suspend')).status, 200)
    const late = await registerDevice(app)
    await broker.begin()
    await comesIn(t, device)
    await comesIn(t, late)
    await until('a refusal', () =>
      connected(t, broker.port, credentialOf(gone), options).then(
        () => false,
        () => true,
      ),
    )
  })

  it('never brings back a password that was reset before the broker could be given it', async (t) => {
    const app = shared()
    await broker.halt()
    const device = await registerDevice(app)
    // It is given in vain for as long as a broker is waited for, and then again a while later.
    await sleep(5_500)
    await broker.begin()
    const reset = await until('the reset', async () => {
      const response = await post(app, device, 'credentials/reset')
      return response.status === 200 ? response : undefined
    })
    const fresh = { ...device, mqtt_password: reset.body.mqtt_credentials.password as string }
    await comesIn(t, fresh)
    await sleep(6_000)
    await isRefused(t, device)
    await comesIn(t, fresh)
  })

  it('delivers a password even if the process that issued it has ended', async (t) => {
    const app = shared()
    const sibling = await app.sibling(environment)
    await broker.halt()
    const device = await registerDevice(sibling)
    await sibling.close()
    await broker.begin()
    await comesIn(t, device)
    await until('no password is left to give', async () => {
      const left = 'SELECT 1 FROM mqtt_password_pushes WHERE given_at IS NULL'
      const { rows } = await app.database.pool.query(left)
      return rows.length === 0
    })
  })

  it('accepts devices of an import and of a bulk registration, and phones', async (t) => {
    const app = shared()
    const rows = [{ device_key: 'imported' }]
    const [imported] = await importRows(app, rows, { query: '?credentials=true' })
    const { username = '', password = '' } = imported?.mqtt_credentials ?? {}
    await comesIn(t, { device_id: username, mqtt_password: password })
    const body = JSON.stringify({ template_id: app.seed.template.id })
    const headers = { 'content-type': 'application/x-ndjson' }
    const key = as.factory(app.seed.provisionKey)
    const bulk = await app.call('POST', '/provision/devices', { as: key, headers, body })
    assert.equal(bulk.status, 200, bulk.text)
    await comesIn(t, JSON.parse(bulk.text.split('\n')[0] ?? '') as Login)
    const phone = await newPhone(app)
    const held = await newDevice(app)
    assert.equal((await held.bind((await openClaim(app, phone)).code)).status, 200)
    const login = await phone.call('POST', '/moid/mqtt-credentials', { workspace_id: app.seed.id })
    const { mqtt_username, mqtt_password, devices } = login.body
    const watched = await comesIn(t, { device_id: mqtt_username, mqtt_password })
    const topics = [`${devices[0].topic_prefix}/state`, '#']
    assert.deepEqual(await subscribe(watched, topics, 1), [1, 0x87])
    await phone.call('DELETE', '/moid/session')
    await until('the disconnection', () => watched.closed)
    await isRefused(t, { device_id: mqtt_username, mqtt_password })
  })

  it('refuses a device that a job has left without a secret', async (t) => {
    const app = shared()
    const device = await registerDevice(app)
    const watched = await comesIn(t, device)
    const job = await app.call('POST', `/workspaces/${app.seed.id}/jobs`, {
      as: as.user(app.seed.owner.token),
      body: { action: 'reset_credentials', device_ids: [device.device_id] },
    })
    assert.ok(job.status < 300, job.text)
    await until('the disconnection', () => watched.closed)
    await isRefused(t, device)
  })
})
