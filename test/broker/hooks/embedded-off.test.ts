/** A service without a broker of its own: devices use the ones that it decides for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerDevice, sendCommand } from '../../support/commands.ts'
import { useApp } from '../../support/suite-app.ts'
import { askAs, brokersFile } from './ask-hooks.ts'
import { contracts } from './contracts.ts'

const shared = useApp({
  environment: { MOORING_EMBEDDED_BROKER: 'off', MOORING_BROKERS_FILE: brokersFile() },
})

test('with its broker off the service listens for no devices, and does all else', async () => {
  const app = shared()
  assert.equal(app.app.ports.mqtt, 0)
  const device = await registerDevice(app)
  const client = {
    username: device.device_id,
    password: device.mqtt_password,
    clientId: device.device_id,
  }
  const [contract] = contracts
  const ask = askAs(`http://127.0.0.1:${app.app.ports.operator}`, 'emqx')
  assert.equal(await contract?.connect(ask, client), true)
  assert.ok(await sendCommand(app, device))
})
