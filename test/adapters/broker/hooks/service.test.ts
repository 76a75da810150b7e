/** The brokers file in a running service, and one without a broker of its own. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { makeHookProbe, probeSeen } from '../../../../src/platform/access/hook-probe.ts'
import { registerDevice, sendCommand } from '../../../support/commands.ts'
import { useApp } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { askAs, brokerNamed, brokersFile, newSecret } from './ask-hooks.ts'
import { contracts } from './contracts.ts'

const file = brokersFile()
const shared = useApp({
  environment: { MOORING_EMBEDDED_BROKER: 'off', MOORING_BROKERS_FILE: file },
})

async function prepare() {
  const app = shared()
  const device = await registerDevice(app)
  const client = {
    username: device.device_id,
    password: device.mqtt_password,
    clientId: device.device_id,
  }
  const [contract] = contracts
  assert.ok(contract)
  const connect = (secret?: string) =>
    contract.connect(askAs(`http://127.0.0.1:${app.app.ports.operator}`, 'emqx', secret), client)
  return { app, device, connect }
}

test('with its broker off the service listens for no devices, and does all else', async () => {
  const { app, device, connect } = await prepare()
  assert.equal(app.app.ports.mqtt, 0)
  assert.equal(await connect(), true)
  assert.ok(await sendCommand(app, device))
})

test('other processes hear that a hook was asked about a login of an examination', async () => {
  const { app } = await prepare()
  const doctor = await app.sibling()
  const heard = new Set<string>()
  doctor.services.feed.on('hook-probe', (ref) => void heard.add(ref))
  const { keyring, clock } = app.services
  for (const broker of ['emqx', 'rabbitmq']) {
    const ask = askAs(`http://127.0.0.1:${app.app.ports.operator}`, broker)
    const { username, password } = makeHookProbe(keyring, 'error', clock.now())
    const asForm = new URLSearchParams({ username, password, client_id: 'any' }).toString()
    const response = await (broker === 'emqx'
      ? ask('emqx/authn', { username, password, clientid: 'any' })
      : ask('rabbitmq/user', asForm))
    assert.equal(response.status, 500)
    const other = makeHookProbe(keyring, 'empty', clock.now())
    await until(`${broker} is reported`, () => heard.has(probeSeen(broker, username)))
    assert.equal(heard.has(probeSeen(broker, other.username)), false)
    assert.equal(heard.has(probeSeen('nanomq', username)), false)
  }
})

test('a running service takes the secrets and the endpoint of a changed file', async () => {
  const { app, connect } = await prepare()
  const secret = newSecret()
  assert.equal(await connect(secret), false)
  const endpoints = [{ protocol: 'mqtts', host: 'mqtt.example.com', port: 8883, default: true }]
  const changed = { ...brokerNamed('emqx'), hook_secrets: [secret], endpoints }
  await writeFile(file, JSON.stringify({ brokers: [changed] }))
  await until('the new secret is taken', () => connect(secret))
  assert.equal(await connect(), false)
  const received = app.services.mqttEndpoint()
  assert.deepEqual(received, { host: 'mqtt.example.com', port: 8883, tls: true })
})
