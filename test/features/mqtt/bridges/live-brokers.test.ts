/** A device behind a live broker: the service hears it, answers it, and disconnects it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { MqttClient } from 'mqtt'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { freePorts } from '../../../adapters/broker/free-ports.ts'
import {
  DYNAMIC_SECURITY,
  MOSQUITTO,
  MOSQUITTO_CTRL,
  startMosquitto,
} from '../../../adapters/broker/start-mosquitto.ts'
import { lacking } from '../../../adapters/broker/start-program.ts'
import { rabbitmqServer, startRabbitmq } from '../../../adapters/broker/start-rabbitmq.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import {
  awaitEnd,
  type Fleet,
  registerDevice,
  sendCommand,
  staff,
} from '../../../support/commands.ts'
import { closed, tryConnect } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'

interface LiveBroker {
  /** Where devices connect. */
  port: number
  /** Its entry in the brokers file. */
  entry: object
  /** The operator port that it asks, if it asks. */
  operator: number
}

const NAME = 'live'

async function mosquitto(t: TestContext): Promise<LiveBroker> {
  const broker = await startMosquitto()
  defer(t, () => broker.stop())
  const { port, url, username, password } = broker
  const login = { url, username, password }
  const entry = { name: NAME, kind: 'mosquitto-dynsec', admin: login, mqtt: login }
  return { port, entry, operator: 0 }
}

async function rabbitmq(t: TestContext): Promise<LiveBroker> {
  const [operator = 0] = await freePorts(1)
  const secret = randomBytes(24).toString('base64url')
  const at = `http://any:${secret}@127.0.0.1:${operator}/hooks/${NAME}/rabbitmq`
  const broker = await startRabbitmq({
    user: `${at}/user`,
    vhost: `${at}/vhost`,
    resource: `${at}/resource`,
    topic: `${at}/topic`,
  })
  defer(t, () => broker.stop())
  const { port, url, username, password } = broker
  const entry = {
    name: NAME,
    kind: 'rabbitmq',
    hook_secrets: [secret],
    admin: { url: url.replace(/\/api$/, ''), username, password },
    mqtt: {
      url: `mqtt://127.0.0.1:${port}`,
      username: 'bridge',
      password: `of the bridge ${secret}`,
    },
  }
  return { port, entry, operator }
}

const BROKERS = {
  'Mosquitto with dynamic security': {
    start: mosquitto,
    skip: lacking(MOSQUITTO, MOSQUITTO_CTRL, DYNAMIC_SECURITY),
  },
  'RabbitMQ with hooks': { start: rabbitmq, skip: lacking(rabbitmqServer()) },
} as const

/** Two processes in addition to the broker. */
async function open(t: TestContext, start: (t: TestContext) => Promise<LiveBroker>) {
  const { port, entry, operator } = await start(t)
  const folder = mkdtempSync(join(tmpdir(), 'mooring-live-'))
  defer(t, () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'brokers.json')
  writeFileSync(file, JSON.stringify({ brokers: [entry] }), { mode: 0o600 })
  const environment = { MOORING_BROKERS_FILE: file, MOORING_OPERATOR_PORT: String(operator) }
  const app = await startApp(t, { environment })
  await app.sibling({ MOORING_OPERATOR_PORT: '0' })
  const device = { ...(await registerDevice(app)), mqtt_port: port }
  return { app, device }
}

/** Comes in, perhaps not at once: the broker may have to be given the password first. */
const comesIn = (t: TestContext, device: Fleet): Promise<MqttClient> =>
  until('the device to be let in', async () => {
    const { code, client } = await tryConnect(t, device)
    return code === 0 && client
  })

const get = async (app: TestApp, path: string) =>
  (await app.call('GET', path, { as: staff(app) })).body

for (const [name, { start, skip }] of Object.entries(BROKERS)) {
  describe(`behind ${name}`, { skip }, () => {
    test('a device is received once, commanded, configured, and disconnected with a receipt', async (t) => {
      const { app, device } = await open(t, start)
      const path = device.path.replace('/commands', '')
      const client = await comesIn(t, device)
      const say = (topic: string, said: object | string, retain = false) =>
        client.publishAsync(
          `${device.topic}/${topic}`,
          typeof said === 'string' ? said : JSON.stringify(said),
          { qos: 1, retain },
        )
      const responses: { rid: string; ok: boolean }[] = []
      client.on('message', (topic, payload) => {
        const said = JSON.parse(payload.toString())
        if (topic.endsWith('/cmd')) void say('ack', { id: said.id, ok: true, result: 'done' })
        if (topic.endsWith('/config/resp')) responses.push(said)
      })
      await client.subscribeAsync([`${device.topic}/cmd`, `${device.topic}/config/#`], { qos: 1 })
      await until('it is online', async () => {
        await say('presence', 'online', true)
        return (await get(app, path)).connected === true
      })
      await say('state', { level: 7 })
      await until('its state', async () => (await get(app, `${path}/state`)).state?.level === 7)
      const { id } = await sendCommand(app, device)
      assert.equal((await awaitEnd(app, device, id)).status, 'acknowledged')
      await say('config/get', { rid: 'one' })
      await until('its configuration', () => responses.length > 0)
      assert.deepEqual(
        responses.map(({ rid, ok }) => [rid, ok]),
        [['one', true]],
      )
      const received = `SELECT type FROM events WHERE type IN ('device.connected', 'device.activated')`
      const events = await app.services.db.query<{ type: string }>(unnamed(received), [])
      assert.deepEqual(events.map(({ type }) => type).toSorted(), [
        'device.activated',
        'device.connected',
      ])

      const suspended = await app.call('POST', `${path}/suspend`, { as: staff(app), body: {} })
      assert.equal(suspended.status, 200, suspended.text)
      await closed(client)
      assert.notEqual((await tryConnect(t, device)).code, 0)
      const [receipt] = /\/workspaces\/[^>]+/.exec(String(suspended.headers.link)) ?? []
      const { nodes } = await until('the receipt to be complete', async () => {
        const body = await get(app, `${receipt}?wait=20`)
        return body.complete === true && body
      })
      const names = nodes.map((node: { name: string }) => node.name.replace(/\/.*/, ''))
      assert.deepEqual(names.toSorted(), ['embedded', 'embedded', NAME])
    })
  })
}
