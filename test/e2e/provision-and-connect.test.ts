/** The factory registers a device, the device connects, rotates, and is never locked out. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { as, startApp, type TestApp } from '../support/app.ts'
import { closed, connectDevice, tryConnect } from '../support/mqtt.ts'
import { until } from '../support/until.ts'

const provision = async ({ call, seed }: TestApp, body: object, headers = {}) => {
  const response = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body,
    headers,
  })
  assert.ok(response.status < 300, response.text)
  return response.body
}

const register = (app: TestApp) => provision(app, { template_id: app.seed.template.id })

const column = async (app: TestApp, deviceId: string, sql: string): Promise<unknown> => {
  const { rows } = await app.database.pool.query(sql)
  return rows[0]?.[deviceId] ?? rows[0]?.value
}

describe('provision and connect', () => {
  test('a provisioned device connects and becomes active, with its event', async (t) => {
    const app = await startApp(t)
    const device = await register(app)
    await connectDevice(t, device)
    await until('the device is active', async () => {
      const status = await column(app, '', 'SELECT status AS value FROM devices')
      return status === 'active'
    })
    await until('it is present', async () => {
      const { rows } = await app.database.pool.query('SELECT connected FROM device_presence')
      return rows[0]?.connected === true
    })
    const { rows } = await app.database.pool.query('SELECT type FROM events ORDER BY type')
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['device.activated', 'device.connected', 'device.registered'],
    )
  })

  test('a wrong secret, another device, a foreign client id are refused', async (t) => {
    const app = await startApp(t)
    const device = await register(app)
    const other = await register(app)
    const wrong = { ...device, mqtt_password: other.mqtt_password }
    assert.equal((await tryConnect(t, wrong)).code, 4)
    assert.equal((await tryConnect(t, { ...device, mqtt_password: '' })).code, 4)
    assert.equal((await tryConnect(t, device, { username: '' })).code, 4)
    assert.equal((await tryConnect(t, device, { clientId: other.device_id })).code, 2)
    assert.equal((await tryConnect(t, device, { clientId: device.device_key })).code, 0)
    assert.equal((await tryConnect(t, device, { clientId: `${device.device_id}:2` })).code, 0)
  })

  test('a rotation adds: the old secret works until the new one is used, then never again', async (t) => {
    const app = await startApp(t)
    const first = await register(app)
    const live = await connectDevice(t, first)
    const second = await provision(app, {
      device_id: first.device_id,
      device_key: first.device_key,
    })
    assert.notEqual(second.mqtt_password, first.mqtt_password)
    assert.ok(live.connected, 'a rotation does not end a live session')
    assert.equal((await tryConnect(t, first, { clientId: `${first.device_id}:a` })).code, 0)
    assert.equal((await tryConnect(t, second, { clientId: `${first.device_id}:b` })).code, 0)
    await closed(live)
    assert.equal((await tryConnect(t, first)).code, 4, 'the old secret is refused')
    assert.equal((await tryConnect(t, second)).code, 0)
  })

  test('every acknowledged secret gets in, however often a device rotates without connecting', async (t) => {
    const app = await startApp(t)
    const first = await register(app)
    const responses = [first]
    for (let round = 0; round < 5; round += 1) {
      responses.push(await provision(app, { device_id: first.device_id }))
    }
    const [, , third] = responses
    assert.equal((await tryConnect(t, third)).code, 0)
    assert.equal(
      (await tryConnect(t, responses[1])).code,
      4,
      'the secret is older than the one in use',
    )
    assert.equal(
      (await tryConnect(t, responses.at(-1))).code,
      0,
      'the secret is newer than the one in use',
    )
    assert.equal((await tryConnect(t, third)).code, 4)
  })

  test('the last acknowledged secret of fifty rotations at once through two processes gets in', async (t) => {
    const app = await startApp(t)
    const other = await app.sibling()
    for (let round = 0; round < 5; round += 1) {
      const device = await register(app)
      let last = device
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          last = await provision(index % 2 ? app : other, { device_id: device.device_id })
        }),
      )
      assert.equal((await tryConnect(t, { ...last, mqtt_port: app.app.ports.mqtt })).code, 0)
      const { rows } = await app.database.pool.query(
        `SELECT count(*) AS n FROM device_secrets WHERE kind = 'mqtt' AND expires_at IS NULL
         AND device_id = (SELECT max(id::text)::uuid FROM devices)`,
      )
      assert.equal(rows[0].n, 1, 'exactly one secret is confirmed')
    }
  })

  test('messages of the device on its state topic are stored', async (t) => {
    const app = await startApp(t)
    const device = await register(app)
    const client = await connectDevice(t, device)
    const topic = `${device.workspace_slug}/${device.device_key}/state`
    await client.publishAsync(topic, '{"on":true}', { qos: 1 })
    await client.publishAsync(topic, 'no JSON', { qos: 1 })
    await client.publishAsync(topic, '{"text":"\\u0000"}', { qos: 1 })
    await until('the state is stored', async () => {
      const { rows } = await app.database.pool.query('SELECT state FROM device_states')
      return rows[0]?.state.on === true
    })
  })

  test('a deleted or suspended device is disconnected, by the other process too', async (t) => {
    const app = await startApp(t)
    const other = await app.sibling()
    for (const sql of [
      `UPDATE devices SET status = 'suspended', suspended_from = 'active' WHERE id = $1`,
      'DELETE FROM devices WHERE id = $1',
    ]) {
      const device = await register(app)
      const uuid = (
        await app.database.pool.query('SELECT id FROM devices ORDER BY id DESC LIMIT 1')
      ).rows[0].id
      const here = await connectDevice(t, device)
      const there = await connectDevice(t, { ...device, mqtt_port: other.app.ports.mqtt })
      await until('it is active', async () => {
        const { rows } = await app.database.pool.query('SELECT status FROM devices WHERE id = $1', [
          uuid,
        ])
        return rows[0]?.status === 'active'
      })
      await app.database.transaction(async (trx) => {
        await trx.query({ name: undefined, text: sql }, [uuid])
        await app.services.feed.announce(trx, 'device', uuid)
      })
      await Promise.all([closed(here), closed(there)])
      assert.notEqual((await tryConnect(t, device)).code, 0)
      assert.notEqual((await tryConnect(t, { ...device, mqtt_port: other.app.ports.mqtt })).code, 0)
    }
  })

  test('presence ends with the process that held the session', async (t) => {
    const app = await startApp(t)
    const other = await app.sibling()
    const device = await register(app)
    await connectDevice(t, { ...device, mqtt_port: other.app.ports.mqtt })
    const connected = async (): Promise<unknown> =>
      (await app.database.pool.query('SELECT connected FROM device_presence')).rows[0]?.connected
    await until('it is connected', async () => (await connected()) === true)
    await other.close()
    await until('it is disconnected', async () => (await connected()) === false)
  })
})
