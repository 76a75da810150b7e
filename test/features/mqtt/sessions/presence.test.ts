/** A device is shown as connected exactly while it has a session. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mqtt } from '../../../../src/app/mqtt.ts'
import { Heartbeat } from '../../../../src/features/mqtt/sessions/heartbeat.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { connectPacket, publishPacket, RawClient } from '../../../adapters/broker/raw-client.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { until } from '../../../support/until.ts'
import { provision, startMqttService } from './second-mqtt-service.ts'

const isShownConnected = async ({ database }: TestApp): Promise<unknown> => {
  const { rows } = await database.pool.query('SELECT connected FROM device_presence')
  return rows[0]?.connected
}

/** As the housekeeping does it. */
async function write({ recorder, presence }: Mqtt): Promise<void> {
  recorder.deliver()
  await presence.flush()
}

test('a device is shown as gone after its last session, in whatever order they end', async (t) => {
  const app = await startApp(t)
  const side = await startMqttService(t, app)
  const { broker } = side
  const device = await provision(app, broker.port)
  const { device_id } = device
  for (const order of [
    ['a', 'b'],
    ['b', 'a'],
  ]) {
    const clients = new Map()
    for (const name of ['a', 'b']) {
      const client = await connectDevice(t, device, { clientId: `${device_id}:${name}` })
      clients.set(name, client)
    }
    await write(side)
    assert.equal(await isShownConnected(app), true)
    for (const [index, name] of order.entries()) {
      await clients.get(name).endAsync()
      const left = order.length - index - 1
      await until('its end', () => broker.connections(device_id).length === left)
      await write(side)
      assert.equal(await isShownConnected(app), left > 0, `after the end of ${name}`)
    }
  }
})

test('a process that was taken for dead reports its sessions again', async (t) => {
  const app = await startApp(t)
  const side = await startMqttService(t, app)
  const { broker, heartbeat, nodeId } = side
  const device = await provision(app, broker.port)
  await connectDevice(t, device)
  await write(side)
  const { pool } = app.database
  const { db, clock } = app.services
  await pool.query(`UPDATE nodes SET beat_at = now() - interval '20 seconds' WHERE id = $1`, [
    nodeId,
  ])
  await new Heartbeat({ db, clock, nodeId: newUuid() }, []).beat()
  assert.equal(await isShownConnected(app), false)
  await heartbeat.beat()
  await write(side)
  assert.equal(await isShownConnected(app), true)
  // A write that the other process had begun before may come last.
  await pool.query('UPDATE device_presence SET connected = false')
  await heartbeat.beat()
  await write(side)
  assert.equal(await isShownConnected(app), true)
})

test('a state is kept of a device that leaves with it, before its CONNACK', async (t) => {
  const app = await startApp(t)
  const side = await startMqttService(t, app)
  const { broker } = side
  const device = await provision(app, broker.port)
  const { device_id: clientId, mqtt_password: password } = device
  const topic = `${device.workspace_slug}/${device.device_key}/state`
  for (const qos of [0, 1] as const) {
    const client = new RawClient(t, broker.port)
    const connect = connectPacket({ version: 4, clientId, username: clientId, password })
    const publish = publishPacket({ version: 4, topic, payload: `{"qos":${qos}}`, qos })
    client.send(Buffer.concat([connect, publish, Buffer.from([0xe0, 0])]))
    await client.isClosed()
    await until('its state', async () => {
      await write(side)
      const { rows } = await app.database.pool.query('SELECT state FROM device_states')
      return rows[0]?.state.qos === qos
    })
  }
})

test('the events of a connection name the device and the connection, also of a dead process', async (t) => {
  const app = await startApp(t)
  const side = await startMqttService(t, app)
  const { broker, heartbeat, nodeId } = side
  const device = await provision(app, broker.port)
  const { device_id, device_key } = device
  const { pool } = app.database
  const received = async (): Promise<Record<string, unknown>[]> => {
    const { rows } = await pool.query<{ type: string; data: Record<string, unknown> }>(
      `SELECT type, data FROM events WHERE type IN ('device.connected', 'device.disconnected')
       ORDER BY seq`,
    )
    return rows.map(({ type, data }) => ({ type, ...data }))
  }
  const expected: Record<string, unknown>[] = []
  for (const isKilled of [false, true]) {
    const client = await connectDevice(t, device)
    const incarnation = broker.connections(device_id)[0]?.incarnation
    assert.equal(typeof incarnation, 'number')
    await write(side)
    if (isKilled) {
      const late = `UPDATE nodes SET beat_at = now() - interval '20 seconds' WHERE id = $1`
      await heartbeat.beat()
      await pool.query(late, [nodeId])
      const { db, clock } = app.services
      await new Heartbeat({ db, clock, nodeId: newUuid() }, []).beat()
    } else {
      await client.endAsync()
      await until('its end', () => broker.connections(device_id).length === 0)
      await write(side)
    }
    for (const type of ['device.connected', 'device.disconnected']) {
      expected.push({ type, device_id, device_key, incarnation })
    }
  }
  assert.deepEqual(await received(), expected)
})
