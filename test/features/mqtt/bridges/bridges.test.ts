/** Devices of an external broker: their messages arrive once, and messages to them arrive. */
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import mqtt, { type MqttClient } from 'mqtt'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { readPresence } from '../../../../src/features/mqtt/bridges/bridged-devices.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import {
  awaitEnd,
  type Fleet,
  registerDevice,
  sendCommand,
  staff,
} from '../../../support/commands.ts'
import { until } from '../../../support/until.ts'
import { bridgedBroker, type PlainBroker, plainBrokers } from './plain-brokers.ts'

type Members = Record<string, unknown>

const NAME = 'external'

interface Setting {
  app: TestApp
  port: number
  environment: { MOORING_BROKERS_FILE: string }
}

async function start(t: TestContext, broker: PlainBroker): Promise<Setting> {
  const port = await broker.start(t)
  const { file } = bridgedBroker(NAME, port)
  const environment = { MOORING_BROKERS_FILE: file }
  const app = await startApp(t, { environment })
  return { app, port, environment }
}

interface ExternalConnection {
  client: MqttClient
  heard: { topic: string; said: Members }[]
  say: (name: string, value: unknown, retain?: boolean) => Promise<unknown>
}

/** A device that is connected to the external broker. */
async function connectExternally(
  t: TestContext,
  port: number,
  device: Fleet,
): Promise<ExternalConnection> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    clientId: device.device_id,
    reconnectPeriod: 0,
  })
  defer(t, () => client.end(true))
  const heard: ExternalConnection['heard'] = []
  client.on('message', (topic, payload) => {
    const said = JSON.parse(payload.toString() || 'null') as Members
    heard.push({ topic: topic.slice(device.topic.length + 1), said })
  })
  await client.subscribeAsync([`${device.topic}/cmd`, `${device.topic}/config/#`], { qos: 1 })
  const say = (name: string, value: unknown, retain = false) =>
    client.publishAsync(
      `${device.topic}/${name}`,
      typeof value === 'string' ? value : JSON.stringify(value),
      { qos: 1, retain },
    )
  return { client, heard, say }
}

async function shown(app: TestApp, { device_id }: Fleet): Promise<Members> {
  const path = `/workspaces/${app.seed.id}/devices/${device_id}`
  return (await app.call('GET', path, { as: staff(app) })).body
}

async function stateOf(app: TestApp, { device_id }: Fleet): Promise<Members> {
  const path = `/workspaces/${app.seed.id}/devices/${device_id}/state`
  return (await app.call('GET', path, { as: staff(app) })).body
}

const countEvents = async (app: TestApp, type: string): Promise<number> => {
  const text = 'SELECT count(*) AS n FROM events WHERE type = $1'
  const [row] = await app.services.db.query<{ n: number }>(unnamed(text), [type])
  return row?.n ?? 0
}

for (const broker of plainBrokers) {
  suite(`a bridge to ${broker.name}`, { skip: broker.skip, concurrency: 2 }, () => {
    test('two processes hear each message once, in order, and one continues alone', async (t) => {
      const { app, port, environment } = await start(t, broker)
      const sibling = await app.sibling(environment)
      const device = await registerDevice(app)
      const { say } = await connectExternally(t, port, device)
      await until('it is online', async () => {
        await say('presence', { status: 'ONLINE', ts: 1 }, true)
        return (await shown(app, device)).connected === true
      })
      assert.equal(await countEvents(app, 'device.connected'), 1)
      for (let n = 1; n <= 20; n += 1) await say('state', { n })
      const holds = async (n: number) => ((await stateOf(app, device)).state as Members)?.n === n
      await until('the last state', () => holds(20))
      await app.close()
      const later = { ...sibling, seed: app.seed }
      await say('state', { n: 21 })
      await until('the state by the other process', async () => {
        return ((await stateOf(later, device)).state as Members)?.n === 21
      })
      await say('presence/', 'OFFLINE', true)
      await until('it is offline', async () => (await shown(later, device)).connected === false)
    })

    test('a command is answered, and a configuration is fetched, over the broker', async (t) => {
      const { app, port } = await start(t, broker)
      const device = await registerDevice(app)
      const { heard, say, client } = await connectExternally(t, port, device)
      client.on('message', (topic, payload) => {
        if (!topic.endsWith('/cmd')) return
        const { id } = JSON.parse(payload.toString()) as { id: string }
        void say('ack', { id, ok: true, result: 'done' })
      })
      const sent = await sendCommand(app, device)
      await until('its presence', async () => {
        await say('presence/', 'ONLINE')
        return (await shown(app, device)).connected === true
      })
      assert.equal((await awaitEnd(app, device, sent.id)).status, 'acknowledged')
      const responses = () => heard.filter(({ topic }) => topic === 'config/resp')
      await until('the meta', () => heard.some(({ topic }) => topic === 'config/meta'))
      await say('config/get', { rid: 'one' })
      await until('the configuration', () => responses().length === 1)
      assert.equal(responses()[0]?.said.ok, true)
      const said = { topic: `${device.topic}/cmd/hello`, payload: '{}', qos: 1 }
      const path = `/workspaces/${app.seed.id}/mqtt/publish`
      await client.subscribeAsync(`${device.topic}/cmd/hello`)
      const published = await app.call('POST', path, { as: staff(app), body: said })
      assert.equal(published.status < 300, true, published.text)
      await until('the message published by staff', () =>
        heard.some(({ topic }) => topic === 'cmd/hello'),
      )
    })

    test('forbidden messages are dropped, and old ones do not count as presence', async (t) => {
      const { app, port } = await start(t, broker)
      const device = await registerDevice(app)
      const other = await registerDevice(app)
      const { client, say } = await connectExternally(t, port, device)
      await say('state', { n: 1 }, true)
      await until('it was heard', async () => {
        await say('state', { n: 2 })
        return ((await stateOf(app, device)).state as Members)?.n === 2
      })
      for (const topic of ['nobody/at-all/state', '//state', 'state', `${other.topic}x/state`]) {
        await client.publishAsync(topic, '{"forged":true}', { qos: 1 })
      }
      await client.publishAsync(`${device.topic}/presence`, Buffer.from([0xff, 0x00]), { qos: 1 })
      await say('state', { n: 3 })
      await until('the later message', async () => {
        return ((await stateOf(app, device)).state as Members)?.n === 3
      })
      assert.equal((await shown(app, other)).connected, false)
    })

    test('a bridge of a process that died is taken over in time', async (t) => {
      const { app, port } = await start(t, broker)
      const device = await registerDevice(app)
      const query = (text: string, values: unknown[]) =>
        app.services.db.query(unnamed(text), values)
      const steal = `INSERT INTO broker_bridges (name, holder, expires_at)
        VALUES ($1, $2, now() + interval '4 seconds')
        ON CONFLICT (name) DO UPDATE SET holder = $2, expires_at = now() + interval '4 seconds'`
      await query(steal, [NAME, newUuid()])
      const holder = 'SELECT holder FROM broker_bridges WHERE name = $1'
      const holderOf = async (): Promise<unknown> =>
        ((await query(holder, [NAME]))[0] as { holder: string } | undefined)?.holder
      const { say } = await connectExternally(t, port, device)
      await until('it is ours again', async () => (await holderOf()) === app.services.nodeId)
      await until('it is online', async () => {
        await say('presence', 'online')
        return (await shown(app, device)).connected === true
      })
    })
  })
}

test('presence is read in both dialects of firmware, and nothing else is taken for it', () => {
  const said = (value: unknown): Buffer =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  for (const online of [
    'ONLINE',
    'online\n',
    { status: 'ONLINE', ts: 1 },
    { status: 'connected' },
  ]) {
    assert.equal(readPresence(said(online)), true)
  }
  for (const offline of ['OFFLINE', { status: 'offline' }, { status: 'DISCONNECTED', ts: 'x' }]) {
    assert.equal(readPresence(said(offline)), false)
  }
  for (const neither of ['', 'maybe', '{}', { ts: 1 }, ['ONLINE'], { status: 1 }]) {
    assert.equal(readPresence(said(neither)), undefined)
  }
})
