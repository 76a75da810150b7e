/** Wrong secrets cost the database little, and never keep out the right one for long. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { tryConnect } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { provision, startMqttService } from '../sessions/second-mqtt-service.ts'

test('after many wrong secrets a new one gets in, and the wrong ones are not looked up', async (t) => {
  const app = await startApp(t)
  const { broker, readsOf } = await startMqttService(t, app)
  const device = await provision(app, broker.port)
  const other = await provision(app, broker.port)
  const wrong = { ...device, mqtt_password: other.mqtt_password }
  const startedAt = performance.now()
  const before = readsOf(device.device_id)
  for (let tries = 0; tries < 40; tries += 1) assert.equal((await tryConnect(t, wrong)).code, 4)
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000)
  assert.ok(readsOf(device.device_id) - before <= 10 + seconds, 'the database is not asked')
  const { device_id, device_key } = device
  const rotated = await provision(app, broker.port, { device_id, device_key })
  await until('the new secret admits', async () => (await tryConnect(t, rotated)).code === 0)
})
