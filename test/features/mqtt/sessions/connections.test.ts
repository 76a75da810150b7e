/** Live sessions of all processes are listed, found, and disconnected from any of them. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { ConnectionRegister } from '../../../../src/features/mqtt/sessions/connection-register.ts'
import { Heartbeat } from '../../../../src/features/mqtt/sessions/heartbeat.ts'
import { formatId, newUuid } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { closed, connectDevice, type DeviceLogin } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)
const pathOf = ({ seed }: TestApp): string => `/workspaces/${seed.id}/mqtt/connections`

async function provision({ call, seed }: TestApp): Promise<DeviceLogin> {
  const response = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id },
  })
  return response.body as DeviceLogin
}

async function list(app: TestApp, filter?: string) {
  const query = filter === undefined ? '' : `?filter=${encodeURIComponent(filter)}`
  const response = await app.call('GET', `${pathOf(app)}${query}`, { as: staff(app) })
  assert.equal(response.status, 200, response.text)
  return response.body.items as { id: string; client_id: string; node: string }[]
}

const listed = (app: TestApp, count: number, filter?: string) =>
  until(`${count} connections are listed`, async () => {
    const items = await list(app, filter)
    return items.length === count && items
  })

/** Once it is complete. */
async function receiptOf(app: TestApp, id: string) {
  const path = `/workspaces/${app.seed.id}/mqtt/receipts/${id}?wait=20`
  const { body } = await app.call('GET', path, { as: staff(app) })
  assert.ok(body.complete, JSON.stringify(body))
  return body as { nodes: { name: string; sessions_cut: number }[] }
}

const there = (app: TestApp, login: DeviceLogin): DeviceLogin => ({
  ...login,
  mqtt_port: app.app.ports.mqtt,
})

describe('live connections', () => {
  test('a session is shown with all that is known of it, and is gone when it ends', async (t) => {
    const app = await freshTenants(t)
    const login = await provision(app)
    const clientId = `${login.device_id}:a`
    const client = await connectDevice(t, login, { clientId, protocolVersion: 5 })
    const [item] = await listed(app, 1)
    assert.ok(item)
    const shown = await app.call('GET', `${pathOf(app)}/${item.id}`, { as: staff(app) })
    const { connected_at: connectedAt, ...rest } = shown.body
    assert.ok(Math.abs(Date.now() - Date.parse(connectedAt)) < 60_000)
    assert.deepEqual(rest, {
      id: item.id,
      workspace_id: app.seed.id,
      principal_id: login.device_id,
      client_id: clientId,
      address: '127.0.0.1',
      transport: 'tcp',
      protocol: '5',
      credential_version: 1,
      node: `embedded/${app.services.nodeId}`,
    })
    await client.endAsync()
    await listed(app, 0)
    const gone = await app.call('GET', `${pathOf(app)}/${item.id}`, { as: staff(app) })
    assert.equal(gone.body.code, 'mqtt_connection_not_found')
  })

  test('each field of the filter finds the matching sessions only', async (t) => {
    const app = await freshTenants(t)
    const [one, other] = [await provision(app), await provision(app)]
    await connectDevice(t, one)
    await connectDevice(t, other, { clientId: `${other.device_id}:b`, protocolVersion: 5 })
    await listed(app, 2)
    const found = async (filter: string) => (await list(app, filter)).map((item) => item.client_id)
    assert.deepEqual(await found(`principal_id = ${one.device_id}`), [one.device_id])
    assert.deepEqual(await found(`client_id = "${other.device_id}:*"`), [`${other.device_id}:b`])
    assert.deepEqual(await found('protocol = 5 AND transport = tcp'), [`${other.device_id}:b`])
    assert.equal((await found('address = 127.0.0.1')).length, 2)
    assert.equal((await found(`node = "embedded/${app.services.nodeId}"`)).length, 2)
    assert.deepEqual(await found('connected_at < 2020-01-01'), [])
    assert.equal((await found('connected_at > 2020-01-01')).length, 2)
    const refused = await app.call('GET', `${pathOf(app)}?filter=colour%3Dred`, { as: staff(app) })
    assert.equal(refused.status, 400)
  })

  test('a session that another process holds is listed, disconnected alone, and may reconnect', async (t) => {
    const app = await freshTenants(t)
    const two = await app.sibling()
    const login = there(two, await provision(app))
    const clients = await Promise.all(
      ['a', 'b'].map((name) => connectDevice(t, login, { clientId: `${login.device_id}:${name}` })),
    )
    await listed(app, 2, `node = "embedded/${two.services.nodeId}"`)
    const [item] = await list(app, `client_id = "${login.device_id}:a"`)
    const path = `${pathOf(app)}/${item?.id}`
    const disconnection = await app.call('DELETE', path, { as: staff(app) })
    assert.equal(disconnection.status, 204, disconnection.text)
    await closed(clients[0] as (typeof clients)[0])
    await listed(app, 1)
    assert.ok(clients[1]?.connected, 'the other session of the device stays')
    await connectDevice(t, login, { clientId: `${login.device_id}:a` })
    const entries = await app.call(
      'GET',
      `/workspaces/${app.seed.id}/audit-log?action=mqtt_connection.cut`,
      { as: as.user(app.seed.owner.token) },
    )
    assert.equal(entries.body.items[0].resource.id, item?.id)
    assert.equal((await app.call('DELETE', path, { as: staff(app) })).status, 404)
  })

  test('all that match a filter are disconnected, on every process, and no others', async (t) => {
    const app = await freshTenants(t)
    const two = await app.sibling()
    const login = await provision(app)
    const other = await provision(app)
    const lost = [
      await connectDevice(t, login),
      await connectDevice(t, there(two, login), { clientId: `${login.device_id}:2` }),
    ]
    const kept = await connectDevice(t, there(two, other))
    await listed(app, 3)
    const disconnection = await app.call('POST', `${pathOf(app)}/disconnect`, {
      as: staff(app),
      body: { filter: `principal_id = ${login.device_id}` },
    })
    assert.equal(disconnection.status, 202, disconnection.text)
    const { receipt_id: receiptId, ...ended } = disconnection.body
    assert.deepEqual(ended, { cut: 2, complete: true })
    const receipt = await receiptOf(app, receiptId)
    assert.deepEqual(
      new Map(receipt.nodes.map(({ name, sessions_cut }) => [name, sessions_cut])),
      new Map([app, two].map(({ services }) => [`embedded/${services.nodeId}`, 1])),
    )
    await Promise.all(lost.map(closed))
    await listed(app, 1)
    assert.ok(kept.connected)
    const wrong = await app.call('POST', `${pathOf(app)}/disconnect`, {
      as: staff(app),
      body: { filter: 'colour = red' },
    })
    assert.equal(wrong.body.errors[0].pointer, '/filter')
  })

  test('named sessions are disconnected, and their receipt is complete once they are gone', async (t) => {
    const app = await freshTenants(t)
    const login = await provision(app)
    const [lost, kept] = await Promise.all(
      ['a', 'b'].map((name) => connectDevice(t, login, { clientId: `${login.device_id}:${name}` })),
    )
    await listed(app, 2)
    const [item] = await list(app, `client_id = "${login.device_id}:a"`)
    const disconnect = (body: object) =>
      app.call('POST', `${pathOf(app)}/disconnect`, { as: staff(app), body })
    const gone = formatId('con', newUuid())
    const disconnection = await disconnect({ connection_ids: [item?.id, gone] })
    assert.equal(disconnection.body.cut, 1, disconnection.text)
    assert.match(String(disconnection.headers.link), new RegExp(disconnection.body.receipt_id))
    const { nodes } = await receiptOf(app, disconnection.body.receipt_id)
    assert.deepEqual(
      nodes.map((node) => node.sessions_cut),
      [1],
    )
    assert.equal((await list(app)).length, 1)
    await closed(lost as NonNullable<typeof lost>)
    assert.ok(kept?.connected)
    for (const body of [{}, { filter: 'protocol = 5', connection_ids: [gone] }]) {
      assert.equal((await disconnect(body)).status, 400)
    }
  })

  test('a session that is slow to end holds up no other', async (t) => {
    const app = await freshTenants(t)
    const { services, database, seed } = app
    const nodeId = newUuid()
    const ended = new Set<string>()
    const all = Promise.withResolvers<number>()
    const register = new ConnectionRegister({
      db: database,
      feed: services.feed,
      nodeId,
      broker: {
        disconnect(_principalId, _reason, [id] = []) {
          ended.add(id ?? '')
          if (ended.size === 3) all.resolve(1)
          return all.promise
        },
      },
      log: () => {},
    })
    t.after(() => register.stop())
    await database.pool.query(
      `INSERT INTO mqtt_connections
       SELECT $1, id, 'dev_x', 'x', '192.0.2.1', 'tcp', '5', 1, $2, now(), now()
       FROM unnest($3::uuid[]) AS id`,
      [seed.uuid, `embedded/${nodeId}`, [newUuid(), newUuid(), newUuid()]],
    )
    await database.transaction((trx) => services.feed.announce(trx, 'mqtt-connection', nodeId))
    await all.promise
    await listed(app, 0)
  })

  test('more than a page of sessions ends completely, and no later one', async (t) => {
    const app = await freshTenants(t)
    const { pool } = app.database
    const node = `embedded/${app.services.nodeId}`
    const insert = (count: number) =>
      pool.query(
        `INSERT INTO mqtt_connections
         SELECT $1, id, $2, 'x', '192.0.2.1', 'tcp', '5', 1, $3, now()
         FROM unnest($4::uuid[]) AS id`,
        [
          app.seed.uuid,
          formatId('dev', newUuid()),
          node,
          Array.from({ length: count }, () => newUuid()),
        ],
      )
    await insert(2_300)
    const disconnection = await app.call('POST', `${pathOf(app)}/disconnect`, {
      as: staff(app),
      body: { filter: 'address = 192.0.2.1' },
    })
    const { receipt_id: _, ...ended } = disconnection.body
    assert.deepEqual(ended, { cut: 1_000, complete: false })
    await insert(1)
    await listed(app, 1)
  })

  test('entries of a dead process are removed', async (t) => {
    const app = await freshTenants(t)
    await app.database.pool.query(
      `INSERT INTO mqtt_connections
       VALUES ($1, $2, 'dev_x', 'x', '192.0.2.1', 'tcp', '5', 1, $3, now())`,
      [app.seed.uuid, newUuid(), `embedded/${newUuid()}`],
    )
    await connectDevice(t, await provision(app))
    await until('the session that is live is left', async () => {
      const items = await list(app)
      return items.length === 1 && items[0]?.node === `embedded/${app.services.nodeId}`
    })
  })

  test('a process that was taken for dead reports its sessions again', async (t: TestContext) => {
    const app = await freshTenants(t)
    await connectDevice(t, await provision(app))
    const [before] = await listed(app, 1)
    const { pool } = app.database
    const { db, clock, nodeId } = app.services
    // In this order its own heartbeat, at any time, reports them again in any case.
    await pool.query('DELETE FROM mqtt_connections WHERE workspace_id = $1', [app.seed.uuid])
    await pool.query(`UPDATE nodes SET beat_at = now() - interval '20 seconds' WHERE id = $1`, [
      nodeId,
    ])
    await new Heartbeat({ db, clock, nodeId: newUuid() }, []).beat()
    const [after] = await listed(app, 1)
    assert.equal(after?.id, before?.id)
  })
})
