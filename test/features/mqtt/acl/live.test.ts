/** Own rules reach who is connected, without ending the connection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MqttClient } from 'mqtt'
import { as } from '../../../support/app.ts'
import { registerDevice } from '../../../support/commands.ts'
import { connectDevice, tryConnect } from '../../../support/mqtt.ts'
import { addRules, aclsOf } from '../../../support/mqtt-rules.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const publishes = (client: MqttClient, topic: string): Promise<boolean> =>
  client.publishAsync(topic, 'x', { qos: 1 }).then(
    () => true,
    () => false,
  )
const subscribes = (client: MqttClient, filter: string): Promise<boolean> =>
  client.subscribeAsync(filter).then(
    () => true,
    () => false,
  )

test("a device's own rules come before its template's, and a live session has them at once", async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const client = await connectDevice(t, device, { protocolVersion: 5 })
  const events = `${device.topic}/events`
  const widened = `${device.workspace_slug}/news`
  assert.deepEqual(
    [await publishes(client, events), await subscribes(client, widened)],
    [true, false],
  )
  const call = aclsOf(app, device.device_id)
  const [deny] = await addRules(
    call,
    'deny publish {slug}/{device_key}/events',
    'allow subscribe {slug}/news',
  )
  await until('the narrowed right', async () => !(await publishes(client, events)))
  await until('the widened right', () => subscribes(client, widened))
  assert.ok(await publishes(client, `${device.topic}/state`), 'the rules of the template stay')
  assert.equal((await call('DELETE', `/${deny.id}`)).status, 204)
  await until('the right is back', () => publishes(client, events))
  assert.ok(client.connected)
})

test('a principal may do what its rules say, and nothing without any', async (t) => {
  const app = await freshTenants(t)
  const device = await registerDevice(app)
  const { status, body, text } = await app.call(
    'POST',
    `/workspaces/${app.seed.id}/mqtt/principals`,
    { as: as.user(app.seed.owner.token), body: { name: 'dashboard' } },
  )
  assert.equal(status, 201, text)
  const { username, password, port } = body.mqtt_credentials
  const login = { device_id: username, mqtt_password: password, mqtt_port: port }
  const { client } = await tryConnect(t, login, { protocolVersion: 5 })
  const filter = `${device.workspace_slug}/+/events`
  assert.equal(await subscribes(client, filter), false)
  await addRules(aclsOf(app, username), 'allow subscribe {slug}/+/events')
  await until('the right to subscribe', () => subscribes(client, filter))
  const heard = new Promise((resolve) => client.once('message', resolve))
  const sender = await connectDevice(t, device)
  await sender.publishAsync(`${device.topic}/events`, 'x', { qos: 1 })
  assert.equal(await heard, `${device.topic}/events`)
})
