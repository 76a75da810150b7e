/** A device on an external broker that publishes nothing gets its commands there all the same. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import mqtt from 'mqtt'
import { API_KEY, startEmqxServer } from '../../../adapters/broker/emqx/emqx-server.ts'
import { startApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { type Fleet, registerDevice, sendCommand, staff } from '../../../support/commands.ts'
import { until } from '../../../support/until.ts'
import { plainBrokers } from './plain-brokers.ts'

const SECRET = 'the-secret-of-the-hooks-0123456789abcdef'

/** Connects, and hears commands. @returns the names of those that came. */
async function listenSilently(t: TestContext, port: number, device: Fleet): Promise<string[]> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: device.device_id })
  defer(t, () => client.end(true))
  const heard: string[] = []
  client.on('message', (_topic, payload) => {
    heard.push((JSON.parse(payload.toString()) as { name: string }).name)
  })
  await client.subscribeAsync(`${device.topic}/cmd`, { qos: 1 })
  return heard
}

const entryOf = (name: string, kind: string, port: number) => ({
  name,
  kind,
  hook_secrets: [`${SECRET}-${name}`],
  mqtt: { url: `mqtt://127.0.0.1:${port}`, username: 'mooring', password: SECRET },
})

test('a silent device is found by the list of the broker, or by the CONNECT that its hook was asked about', async (t) => {
  const [aedes] = plainBrokers
  assert.ok(aedes)
  const [first, second] = [await aedes.start(t), await aedes.start(t)]
  const list = await startEmqxServer('6.2')
  const brokers = [
    { ...entryOf('listed', 'emqx', first), admin: { ...API_KEY, url: list.url } },
    entryOf('asked', 'mosquitto-go-auth', second),
  ]
  const folder = mkdtempSync(join(tmpdir(), 'mooring-silent-'))
  const file = join(folder, 'brokers.json')
  writeFileSync(file, JSON.stringify({ brokers }), { mode: 0o600 })
  const app = await startApp(t, { environment: { MOORING_BROKERS_FILE: file } })
  defer(t, () => rmSync(folder, { recursive: true }))
  defer(t, () => list.stop())
  const [listed, asked, away] = [
    await registerDevice(app),
    await registerDevice(app),
    await registerDevice(app),
  ]
  const heardByListed = await listenSilently(t, first, listed)
  const heardByAsked = await listenSilently(t, second, asked)
  list.clients.set(listed.device_id, {
    clientid: listed.device_id,
    username: listed.device_id,
    node: 'emqx@one',
    connected: true,
    connected_at: new Date().toISOString(),
    ip_address: '10.0.0.1',
    proto_ver: 5,
  })
  const hook = `http://127.0.0.1:${app.app.ports.operator}/hooks/asked/mosquitto/user`
  const { device_id: username, mqtt_password: password } = asked
  const admitted = await fetch(hook, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}-asked`, 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, clientid: username }),
  })
  assert.equal(admitted.status, 200)
  const holdsBoth = 'SELECT count(*)::int AS count FROM broker_bridges WHERE expires_at > now()'
  await until('both bridges', async () => {
    const { rows } = await app.database.pool.query(holdsBoth)
    return rows[0].count === 2
  })
  let nextAt = 0
  await until('both hear', async () => {
    // A message sent before the bridge is connected is lost. So few in a minute are never too many.
    const isTime = performance.now() >= nextAt
    if (isTime) nextAt = performance.now() + 1_000
    for (const device of isTime ? [listed, asked] : []) await sendCommand(app, device)
    return heardByListed.length > 0 && heardByAsked.length > 0
  })
  const { id } = await sendCommand(app, away)
  await sendCommand(app, listed, { name: 'again' })
  await until('another one', () => heardByListed.includes('again'))
  const shown = async (path: string) => (await app.call('GET', path, { as: staff(app) })).body
  assert.equal((await shown(`${away.path}/${id}`)).status, 'pending')
  assert.equal((await shown(listed.path.replace('/commands', ''))).connected, false)
})
