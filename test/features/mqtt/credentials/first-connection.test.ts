/** A first connection is reported as such until it has led to a session. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { until } from '../../../support/until.ts'
import { provision, startMqttService } from '../sessions/second-mqtt-service.ts'

test('a CONNECT that is decided again is still the first one', async (t) => {
  const app = await startApp(t)
  const { broker, authorizer } = await startMqttService(t, app)
  const { device_id, mqtt_password } = await provision(app, broker.port)
  const request = {
    clientId: device_id,
    username: device_id,
    password: Buffer.from(mqtt_password),
    address: '127.0.0.1',
    protocolVersion: 4,
    transport: 'tcp' as const,
  }
  const grantOf = async () => {
    const decision = await authorizer.connect(request)
    assert.ok(decision.accepted)
    return decision.grant
  }
  assert.equal((await grantOf()).isFirst, true)
  const grant = await grantOf()
  assert.equal(grant.isFirst, true)
  authorizer.admitted(request, grant, 'external')
  // A machine that stands still for a second makes the process read the device again.
  await until('the secret is no longer unused', async () => !(await grantOf()).isFirst)
})
