/** A broker that takes messages and never says so delays nobody but its own devices. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Aedes } from 'aedes'
import mqtt from 'mqtt'
import { startApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import {
  type Fleet,
  listen,
  registerDevice,
  sendCommand,
  staff,
} from '../../../support/commands.ts'
import { until } from '../../../support/until.ts'

/** @param isHeld which messages of the service get no response. */
async function startBroker(t: TestContext, isHeld: (topic: string) => boolean) {
  const held: string[] = []
  const aedes = new Aedes({
    authorizePublish(client, { topic }, done) {
      if (client?.id.startsWith('mooring-') === true && isHeld(topic)) held.push(topic)
      else done(null)
    },
  })
  await aedes.listen()
  const server = createServer((socket) => void aedes.handle(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  defer(t, async () => {
    server.close()
    await new Promise<void>((resolve) => aedes.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, held }
}

const entryOf = (name: string, port: number) => ({
  name,
  kind: 'mosquitto-go-auth',
  hook_secrets: [`the-secret-of-the-hooks-of-${name}-0123456789`],
  mqtt: { url: `mqtt://127.0.0.1:${port}`, username: 'mooring', password: 'a very long password' },
})

/** A device that says that it is there, and writes down the commands that come. */
async function connectAt(t: TestContext, port: number, device: Fleet): Promise<string[]> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: device.device_id })
  defer(t, () => client.end(true))
  const heard: string[] = []
  client.on('message', (_topic, payload) => {
    heard.push((JSON.parse(payload.toString()) as { id: string }).id)
  })
  await client.subscribeAsync(`${device.topic}/cmd`, { qos: 1 })
  await client.publishAsync(`${device.topic}/presence`, 'online', { qos: 1, retain: true })
  return heard
}

test('commands reach the devices of other brokers in their order while one broker hangs', async (t) => {
  const hanging = await startBroker(t, (topic) => topic.endsWith('/cmd'))
  const fine = await startBroker(t, () => false)
  const folder = mkdtempSync(join(tmpdir(), 'mooring-hanging-'))
  const file = join(folder, 'brokers.json')
  const brokers = [entryOf('hanging', hanging.port), entryOf('fine', fine.port)]
  writeFileSync(file, JSON.stringify({ brokers }), { mode: 0o600 })
  const app = await startApp(t, { environment: { MOORING_BROKERS_FILE: file } })
  defer(t, () => rmSync(folder, { recursive: true }))
  const [there, onFineBroker, here] = [
    await registerDevice(app),
    await registerDevice(app),
    await registerDevice(app),
  ]
  const isOnline = async ({ device_id }: Fleet): Promise<boolean> => {
    const path = `/workspaces/${app.seed.id}/devices/${device_id}`
    return (await app.call('GET', path, { as: staff(app) })).body.connected === true
  }
  await connectAt(t, hanging.port, there)
  const heard = await connectAt(t, fine.port, onFineBroker)
  const own = await listen(t, here)
  await until(
    'both are there',
    async () => (await isOnline(there)) && (await isOnline(onFineBroker)),
  )
  for (let count = 0; count < 10; count += 1) await sendCommand(app, there)
  await until('the broker hangs', () => hanging.held.length > 0)
  const sent: string[] = []
  for (let count = 0; count < 4; count += 1) {
    // One after the other, the first ten would take fifty seconds to fail.
    const body = { name: 'reboot', timeout_s: 40 }
    sent.push((await sendCommand(app, onFineBroker, body)).id)
    await sendCommand(app, here, body)
  }
  await until('the others hear', () => heard.length === 4 && own.heard.length === 4)
  assert.deepEqual(heard, sent)
})
