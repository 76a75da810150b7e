/** The brokers file in a running service, and one without a broker of its own. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
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

test('a running service takes the secrets and the endpoint of a changed file', async () => {
  const { app, connect } = await prepare()
  const secret = newSecret()
  assert.equal(await connect(secret), false)
  const endpoints = [{ protocol: 'mqtts', host: 'mqtt.example.com', port: 8883, default: true }]
  const changed = { ...brokerNamed('emqx'), hook_secrets: [secret], endpoints }
  await writeFile(file, JSON.stringify({ brokers: [changed] }))
  await until('the new secret is taken', () => connect(secret))
  assert.equal(await connect(), false)
  const told = app.services.mqttEndpoint()
  assert.deepEqual(told, { host: 'mqtt.example.com', port: 8883, tls: true })
})
