/** The MQTT logins of phones: the topics of the devices they hold, while they hold them. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { MqttClient } from 'mqtt'
import { removeMqttLogins } from '../../../../src/features/mobile/mqtt/mqtt-login.ts'
import { newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { closed, connectDevice, type DeviceLogin, tryConnect } from '../../../support/mqtt.ts'
import {
  newDevice,
  newPhone,
  openClaim,
  type Phone,
  statuses,
  type TestDevice,
} from '../../../support/phones-and-devices.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const PATH = '/moid/mqtt-credentials'

interface PhoneLogin extends DeviceLogin {
  prefixes: string[]
}

async function loginOf(app: TestApp, phone: Phone, more: object = {}): Promise<PhoneLogin> {
  const { status, body, text } = await phone.call('POST', PATH, {
    workspace_id: app.seed.id,
    ...more,
  })
  assert.equal(status, 201, text)
  return {
    device_id: body.mqtt_username,
    mqtt_password: body.mqtt_password,
    mqtt_port: body.mqtt_port,
    prefixes: body.devices.map((each: { topic_prefix: string }) => each.topic_prefix),
  }
}

async function claim(app: TestApp, phone: Phone): Promise<TestDevice> {
  const device = await newDevice(app)
  const { code } = await openClaim(app, phone)
  assert.equal((await device.bind(code)).status, 200)
  return device
}

/** A phone that holds a device. */
async function claimedDevice(app: TestApp): Promise<{ phone: Phone; device: TestDevice }> {
  const phone = await newPhone(app)
  return { phone, device: await claim(app, phone) }
}

/** The messages that the client receives, by topic. */
function listen(client: MqttClient): string[] {
  const heard: string[] = []
  client.on('message', (topic) => void heard.push(topic))
  return heard
}

const say = ({ services }: TestApp, topic: string): Promise<void> =>
  services.broker.publish({ topic, payload: Buffer.from('{}'), qos: 1, retain: false })

/** A client that receives all of the workspace. */
async function spyOf({ call, seed }: TestApp): Promise<DeviceLogin> {
  const staff = as.platformKey(seed.platformKey)
  const path = `/workspaces/${seed.id}/mqtt/principals`
  const made = await call('POST', path, { as: staff, body: { name: `spy ${newUuid()}` } })
  const { id, mqtt_credentials } = made.body
  const body = { action: 'subscribe', topic: '{slug}/#', permission: 'allow' }
  await call('POST', `${path}/${id}/acls`, { as: staff, body })
  const { port, password } = mqtt_credentials
  return { device_id: id, mqtt_password: password, mqtt_port: port }
}

const connect = (t: TestContext, login: DeviceLogin, port = login.mqtt_port) =>
  connectDevice(t, { ...login, mqtt_port: port }, { protocolVersion: 5 })

const NOT_AUTHORIZED = 5
const BAD_CREDENTIALS = 4

describe("a phone's MQTT login", () => {
  const get = useApp()

  test('hears the devices of its identity, commands them, and nothing else', async (t) => {
    const app = get()
    const { phone } = await claimedDevice(app)
    const { device: outsider } = await claimedDevice(app)
    const login = await loginOf(app, phone)
    assert.equal(login.prefixes.length, 1)
    const [prefix] = login.prefixes as [string]
    const foreign = `${app.seed.slug}/k-${outsider.uuid}`
    const client = await connect(t, login)
    const heard = listen(client)
    for (const suffix of ['state', 'telemetry', 'presence', 'presence/', 'events', 'ack']) {
      await client.subscribeAsync(`${prefix}/${suffix}`, { qos: 1 })
      await say(app, `${prefix}/${suffix}`)
    }
    await until('all of it is heard', () => heard.length === 6)
    await client.publishAsync(`${prefix}/cmd`, '{}', { qos: 1 })
    await client.publishAsync(`${prefix}/cmd/reboot`, '{}', { qos: 1 })
    for (const topic of [`${prefix}/state`, `${prefix}/config/set`, `${foreign}/cmd`]) {
      await assert.rejects(client.publishAsync(topic, '{}', { qos: 1 }), topic)
    }
    for (const filter of [`${prefix}/#`, `${prefix}/config/#`, `${foreign}/state`, '#']) {
      await assert.rejects(client.subscribeAsync(filter, { qos: 1 }), filter)
    }
  })

  test('loses and gains devices while it is connected, here and elsewhere', async (t) => {
    const app = get()
    const other = await app.sibling()
    const { phone, device } = await claimedDevice(app)
    const kept = await claim(app, phone)
    const login = await loginOf(app, phone)
    const topicOf = ({ uuid }: TestDevice): string => `${app.seed.slug}/k-${uuid}/state`
    const client = await connect(t, login, other.app.ports.mqtt)
    const heard = listen(client)
    await client.subscribeAsync([topicOf(device), topicOf(kept)], { qos: 1 })
    const released = await phone.call('DELETE', `/moid/devices/${device.id}`)
    assert.equal(released.status, 204, released.text)
    const isHeard = async (one: TestDevice): Promise<boolean> => {
      heard.length = 0
      const there = { ...app, services: other.app.services }
      await say(there, topicOf(one))
      await say(there, topicOf(kept))
      await until('the other one', () => heard.includes(topicOf(kept)))
      return heard.includes(topicOf(one))
    }
    await until('the released one is silent', async () => !(await isHeard(device)))
    const gained = await claim(app, phone)
    await until('the new one may be subscribed to', () =>
      client.subscribeAsync(topicOf(gained), { qos: 1 }).then(
        () => true,
        () => false,
      ),
    )
    assert.ok(await isHeard(gained))
    const path = `/workspaces/${app.seed.id}/devices/${gained.id}`
    const owner = { as: as.platformKey(app.seed.platformKey) }
    await app.call('POST', `${path}/suspend`, owner)
    await until('the suspended one is silent', async () => !(await isHeard(gained)))
    await app.call('POST', `${path}/resume`, owner)
    await until('the resumed one is heard', () => isHeard(gained))
    assert.ok(client.connected)
  })

  test('ends with the last device, and with the session that asked for it', async (t) => {
    const app = get()
    const { phone, device } = await claimedDevice(app)
    const login = await loginOf(app, phone)
    const client = await connect(t, login)
    await phone.call('DELETE', `/moid/devices/${device.id}`)
    await closed(client)
    assert.equal((await tryConnect(t, login)).code, NOT_AUTHORIZED)
    await claim(app, phone)
    const again = await connect(t, login)
    await phone.call('DELETE', '/moid/session')
    await closed(again)
    assert.equal((await tryConnect(t, login)).code, NOT_AUTHORIZED)
  })

  test('leaves no messages for the next phone of the device', async (t) => {
    const app = get()
    const { phone, device } = await claimedDevice(app)
    const login = await loginOf(app, phone)
    const [prefix] = login.prefixes as [string]
    const topic = `${prefix}/cmd/unlock`
    const spy = await connect(t, await spyOf(app))
    const said = listen(spy)
    await spy.subscribeAsync(`${prefix}/#`, { qos: 1 })
    const will = { topic: `${prefix}/cmd/last`, payload: Buffer.from('{}'), qos: 1 as const }
    const client = await connectDevice(t, login, { protocolVersion: 5, will })
    await client.publishAsync(topic, '{}', { qos: 1, retain: true })
    await until('it is heard', () => said.includes(topic))
    await phone.call('DELETE', `/moid/devices/${device.id}`)
    await closed(client)
    await say(app, `${prefix}/state`)
    await until('the later message', () => said.includes(`${prefix}/state`))
    assert.deepEqual(said, [topic, `${prefix}/state`])
    const later = await connect(t, await spyOf(app))
    const heard = listen(later)
    await later.subscribeAsync(`${prefix}/#`, { qos: 1 })
    await say(app, `${prefix}/state`)
    await until('the current message', () => heard.length > 0)
    assert.deepEqual(heard, [`${prefix}/state`])
  })

  test('ends when its time is up, and is deleted', async (t) => {
    const app = get()
    const { phone } = await claimedDevice(app)
    const login = await loginOf(app, phone)
    const client = await connect(t, login)
    const uuid = parseId('mqm', login.device_id) as string
    const { pool } = app.database
    await app.database.transaction(async (trx) => {
      const text = `UPDATE moid_mqtt_logins SET expires_at = now() + interval '1 second' WHERE id = $1`
      await trx.query({ name: undefined, text }, [uuid])
      await app.services.feed.announce(trx, 'mqtt-login', uuid)
    })
    await closed(client)
    // The login may be deleted already.
    assert.ok([NOT_AUTHORIZED, BAD_CREDENTIALS].includes((await tryConnect(t, login)).code))
    await pool.query(
      `UPDATE moid_mqtt_logins SET expires_at = now() - interval '1 hour' WHERE id = $1`,
      [uuid],
    )
    const services = { ...app.services, db: app.database }
    await Promise.all([removeMqttLogins(services), removeMqttLogins(services)])
    // The service may be about to do so as well.
    await until('the login is deleted', async () => {
      const { rows } = await pool.query('SELECT id FROM moid_mqtt_logins WHERE id = $1', [uuid])
      return rows.length === 0
    })
  })

  test('ends with its session also where nobody ends that', async (t) => {
    const app = get()
    const { phone } = await claimedDevice(app)
    const { pool } = app.database
    const end = async (seconds: number): Promise<string> => {
      const { rows } = await pool.query<{ id: string }>(
        `UPDATE moid_sessions SET expires_at = now() + make_interval(secs => $1)
         WHERE id = (SELECT session_id FROM moid_mqtt_logins WHERE id = $2) RETURNING id`,
        [seconds, parseId('mqm', login.device_id)],
      )
      return (rows[0] as { id: string }).id
    }
    const login = await loginOf(app, phone, { expires_in: 7_200 })
    await end(3_600)
    const later = await phone.call('POST', PATH, { workspace_id: app.seed.id, expires_in: 7_200 })
    const left = Date.parse(later.body.expires_at) - Date.now()
    assert.ok(left > 3_000_000 && left <= 3_600_000, 'the response has the shortened lifetime')
    const client = await connect(t, login)
    const sessionId = await end(1)
    await app.database.transaction((trx) =>
      app.services.feed.announce(trx, 'moid-session', sessionId),
    )
    await closed(client)
    assert.equal((await tryConnect(t, login)).code, NOT_AUTHORIZED)
  })

  test('is one of five: one more ends the oldest, also when many come at once', async (t) => {
    const app = get()
    const { phone } = await claimedDevice(app)
    const oldest = await loginOf(app, phone)
    const client = await connect(t, oldest)
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => phone.call('POST', PATH, { workspace_id: app.seed.id })),
    )
    assert.deepEqual(statuses(responses), { 201: 8 })
    await closed(client)
    assert.equal((await tryConnect(t, oldest)).code, BAD_CREDENTIALS)
    const codes = []
    for (const { body } of responses) {
      const login = {
        device_id: body.mqtt_username,
        mqtt_password: body.mqtt_password,
        mqtt_port: body.mqtt_port,
      }
      codes.push((await tryConnect(t, login)).code)
    }
    assert.equal(codes.filter((code) => code === 0).length, 5)
  })

  test('is for one workspace, and for nobody who holds nothing there', async () => {
    const app = get()
    const { phone } = await claimedDevice(app)
    const unnamed = await phone.call('POST', PATH, {})
    assert.equal(unnamed.body.errors[0].pointer, '/workspace_id')
    const foreign = { workspace_id: app.seed.other.id }
    assert.equal((await phone.call('POST', PATH, foreign)).body.code, 'workspace_not_found')
    const locked = await newPhone(app, app.seed.other.id)
    assert.equal((await locked.call('POST', PATH, {})).body.code, 'no_claimed_devices')
    const named = await locked.call('POST', PATH, { workspace_id: app.seed.id })
    assert.equal(named.body.code, 'workspace_not_found')
    const own = await newPhone(app, app.seed.id)
    await claim(app, own)
    const login = await own.call('POST', PATH, { expires_in: 900 })
    assert.equal(login.status, 201, login.text)
    assert.equal(login.body.workspace_id, app.seed.id)
    const lifetime = Date.parse(login.body.expires_at) - Date.now()
    assert.ok(lifetime > 600_000 && lifetime <= 900_000)
  })

  test('is given to nobody whose only device is suspended', async () => {
    const app = get()
    const { phone, device } = await claimedDevice(app)
    await app.call('POST', `/workspaces/${app.seed.id}/devices/${device.id}/suspend`, {
      as: as.platformKey(app.seed.platformKey),
    })
    const refused = await phone.call('POST', PATH, { workspace_id: app.seed.id })
    assert.equal(refused.body.code, 'no_claimed_devices')
  })
})
