/** A state that was acknowledged is read by the next request, and written without being read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MqttClient } from 'mqtt'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'

interface Published {
  client: MqttClient
  topic: string
  /** The path of the operations on its state. */
  path: string
}

async function connect(t: Parameters<typeof connectDevice>[0], app: TestApp): Promise<Published> {
  const { body } = await app.call('POST', '/provision/device', {
    as: as.factory(app.seed.provisionKey),
    body: { device_key: `d${Math.random()}` },
  })
  return {
    client: await connectDevice(t, body),
    topic: `${body.workspace_slug}/${body.device_key}/state`,
    path: `/workspaces/${app.seed.id}/devices/${body.device_id}/state`,
  }
}

const ROUNDS = 50

test('a read after the PUBACK shows the state', async (t) => {
  const app = await startApp(t)
  const caller = { as: as.platformKey(app.seed.platformKey) }
  const { client, topic, path } = await connect(t, app)
  for (let round = 1; round <= ROUNDS; round += 1) {
    await client.publishAsync(topic, JSON.stringify({ round }), { qos: 1 })
    const { body } = await app.call('GET', path, caller)
    assert.deepEqual(body.state, { round })
  }
})

test('a change after the PUBACK is made to the state that was acknowledged', async (t) => {
  const app = await startApp(t)
  const caller = { as: as.platformKey(app.seed.platformKey) }
  const { client, topic, path } = await connect(t, app)
  for (let round = 1; round <= ROUNDS; round += 1) {
    await client.publishAsync(topic, JSON.stringify({ round }), { qos: 1 })
    const { body } = await app.call('PATCH', path, { ...caller, body: { state: { seen: round } } })
    assert.deepEqual(body.state, { round, seen: round })
  }
})

test('within one tick of the clock the later of a message and a request stays', async (t) => {
  const now = Date.now()
  const app = await startApp(t, { clock: { now: () => now } })
  const caller = { as: as.platformKey(app.seed.platformKey) }
  const { client, topic, path } = await connect(t, app)
  for (let round = 1; round <= 3; round += 1) {
    const state = { from: 'staff', round }
    const { body: put } = await app.call('PUT', path, { ...caller, body: { state } })
    assert.deepEqual(put.state, state)
    await client.publishAsync(topic, JSON.stringify({ from: 'device', round }), { qos: 1 })
    const { body } = await app.call('GET', path, caller)
    assert.deepEqual(body.state, { from: 'device', round })
  }
})

test('many devices that publish at once lose no state, and the last of each one stays', async (t) => {
  const app = await startApp(t)
  const devices = await Promise.all(Array.from({ length: 20 }, () => connect(t, app)))
  await Promise.all(
    devices.flatMap(({ client, topic }, device) =>
      Array.from({ length: ROUNDS }, (_, round) =>
        client.publishAsync(topic, JSON.stringify({ device, round }), { qos: 1 }),
      ),
    ),
  )
  await until('all last states', async () => {
    const { rows } = await app.database.pool.query<{ device: number }>(
      `SELECT (state ->> 'device')::integer AS device FROM device_states
       WHERE (state ->> 'round')::integer = $1 ORDER BY device`,
      [ROUNDS - 1],
    )
    return rows.map(({ device }) => device).join() === devices.map((_, at) => at).join()
  })
})
