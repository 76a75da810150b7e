/** A live session ends with its right, and no other session of its device ends with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { closed, connectDevice } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { provision, startMqttService } from './second-mqtt-service.ts'

const changeTemplate = async ({ call, seed }: TestApp, topic: string): Promise<void> => {
  const path = `/workspaces/${seed.id}/device-templates/${seed.template.id}`
  const response = await call('PATCH', path, {
    as: as.platformKey(seed.platformKey),
    body: { mqtt_acl: [{ action: 'publish', topic, permission: 'allow' }] },
  })
  assert.equal(response.status, 200, response.text)
}

const announce = ({ services: { db, feed } }: TestApp): Promise<void> =>
  db.transaction((trx) => feed.announce(trx, 'device', newUuid()))

/** Changes come again with the feed's next read; waits until all of them have. */
async function repeated(app: TestApp): Promise<void> {
  const { feed } = app.services
  const before = feed.sequence
  await announce(app)
  await until('the next read of the feed', () => feed.sequence >= before + 2)
}

test('a confirmed rotation ends the sessions with the old secret, and only those', async (t) => {
  const app = await startApp(t)
  const { broker } = await startMqttService(t, app)
  const first = await provision(app, broker.port)
  const { device_id, device_key, workspace_slug } = first
  const old = await Promise.all(
    ['', ':a'].map((suffix) => connectDevice(t, first, { clientId: device_id + suffix })),
  )
  const second = await provision(app, broker.port, { device_id, device_key })
  const clientId = `${device_id}:b`
  const fresh = await connectDevice(t, second, { clientId })
  await Promise.all(old.map(closed))
  await repeated(app)
  assert.ok(fresh.connected)
  const outcome = await Promise.race([
    fresh.publishAsync(`${workspace_slug}/${device_key}/events`, 'x', { qos: 1 }),
    new Promise((resolve) => fresh.once('close', () => resolve('closed'))),
  ])
  assert.notEqual(outcome, 'closed')
  assert.deepEqual(
    broker.connections(device_id).map((session) => session.clientId),
    [clientId],
  )
})

test('a session whose template changed while it was let in does not keep the old rules', async (t) => {
  const app = await startApp(t)
  const { broker, authority } = await startMqttService(t, app)
  const device = await provision(app, broker.port)
  const decide = authority.connect.bind(authority)
  authority.connect = async (request) => {
    const decision = await decide(request)
    await changeTemplate(app, '{slug}/{device_key}/other')
    await repeated(app)
    return decision
  }
  const client = await connectDevice(t, device)
  const [session] = broker.connections(device.device_id)
  await until('the current rules', () => session?.grant.rules.length === 1)
  assert.ok(client.connected)
})

test('a session is not checked again for changes that do not concern it', async (t) => {
  const app = await startApp(t)
  const { broker, authority, readsOf } = await startMqttService(t, app)
  const device = await provision(app, broker.port)
  await repeated(app)
  await connectDevice(t, device)
  const decide = authority.connect.bind(authority)
  authority.connect = async (request) => {
    const decision = await decide(request)
    await announce(app)
    return decision
  }
  // On a busy machine what is cached may be too old to count, and is read; not each time, though.
  for (let tries = 0; ; tries += 1) {
    const before = readsOf(device.device_id)
    await connectDevice(t, device, { clientId: `${device.device_id}:${tries}` })
    if (readsOf(device.device_id) === before) return
    assert.ok(tries < 20, 'the session is read each time')
  }
})

test('a review in progress at the stop asks nothing of the broker', async (t) => {
  const app = await startApp(t)
  const { broker, stop, logged, readsOf } = await startMqttService(t, app)
  const { call, seed } = app
  const device = await provision(app, broker.port)
  stop()
  await broker.stop()
  const before = readsOf(device.device_id)
  const path = `/workspaces/${seed.id}/devices/${device.device_id}/suspend`
  const response = await call('POST', path, { as: as.platformKey(seed.platformKey), body: {} })
  assert.equal(response.status, 200, response.text)
  await until('a review', () => readsOf(device.device_id) > before)
  await app.database.pool.query('SELECT pg_sleep(0.5)')
  assert.deepEqual(logged, [])
})
