/** A receipt says what every node has seen of a revocation, and nothing that it has not. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type CallResult, type TestApp } from '../../../support/app.ts'
import { closed, connectDevice, type DeviceLogin } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

const staff = ({ seed }: TestApp) => as.platformKey(seed.platformKey)
const nodeOf = ({ services }: TestApp): string => `embedded/${services.nodeId}`
const there = (app: TestApp, login: DeviceLogin): DeviceLogin => ({
  ...login,
  mqtt_port: app.app.ports.mqtt,
})

async function provision({ call, seed }: TestApp): Promise<DeviceLogin & { device_id: string }> {
  const response = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id },
  })
  return response.body
}

/** The receipt that the response to a revocation names. */
function linkOf(response: CallResult): string {
  assert.ok(response.status < 300, response.text)
  const link = /<\/api\/v1([^>]+)>; rel="revocation-receipt"/.exec(response.headers.link ?? '')
  assert.ok(link?.[1], `no receipt in the response: ${response.headers.link}`)
  return link[1]
}

async function receiptOf(app: TestApp, path: string, wait = 0) {
  const response = await app.call('GET', `${path}?wait=${wait}`, { as: staff(app) })
  assert.equal(response.status, 200, response.text)
  return response.body
}

const complete = (app: TestApp, path: string) =>
  until('the receipt is complete', async () => {
    const receipt = await receiptOf(app, path, 5)
    return receipt.complete && receipt
  })

const change = (app: TestApp, method: string, path: string, body?: object) =>
  app.call(method, `/workspaces/${app.seed.id}${path}`, {
    as: staff(app),
    ...(body && { body }),
  })

interface Node {
  name: string
  denied_at: string | null
  cache_purged_at: string | null
  sessions_cut: number
  sessions_cut_at: string | null
  verified_at: string | null
  gone_at: string | null
}

const find = (receipt: { nodes: Node[] }, name: string): Node => {
  const node = receipt.nodes.find((each) => each.name === name)
  assert.ok(node, `${name} is not in ${JSON.stringify(receipt.nodes)}`)
  return node
}

describe('the receipt of a revocation', () => {
  test('both processes report that a suspended device is disconnected, once it has been', async (t) => {
    const app = await freshTenants(t)
    const two = await app.sibling()
    const login = await provision(app)
    const clients = await Promise.all(
      ['a', 'b'].map((name) =>
        connectDevice(t, there(two, login), { clientId: `${login.device_id}:${name}` }),
      ),
    )
    const response = await change(app, 'POST', `/devices/${login.device_id}/suspend`, {})
    const receipt = await complete(app, linkOf(response))
    assert.equal(two.services.broker.connections(login.device_id).length, 0)
    await Promise.all(clients.map(closed))
    assert.equal(receipt.reason, 'device.suspended')
    assert.equal(receipt.subject, login.device_id)
    const [here, other] = [find(receipt, nodeOf(app)), find(receipt, nodeOf(two))]
    assert.equal(here.sessions_cut, 0)
    assert.equal(here.sessions_cut_at, null)
    assert.equal(other.sessions_cut, 2)
    for (const node of [here, other]) {
      assert.ok(node.denied_at && node.cache_purged_at && node.verified_at)
      assert.equal(node.gone_at, null)
    }
  })

  test('nothing is verified as long as the session lives', async (t) => {
    const app = await freshTenants(t)
    const two = await app.sibling()
    const login = there(two, await provision(app))
    await connectDevice(t, login)
    // The other broker does not end sessions for a while.
    const { broker } = two.services
    const disconnect = broker.disconnect.bind(broker)
    const held = Promise.withResolvers<void>()
    broker.disconnect = async (...disconnection) => {
      await held.promise
      return disconnect(...disconnection)
    }
    const path = linkOf(await change(app, 'DELETE', `/devices/${login.device_id}`))
    const acknowledged = await until('the other process refuses', async () => {
      const receipt = await receiptOf(app, path)
      const node = receipt.nodes.find(({ name }: Node) => name === nodeOf(two))
      return typeof node?.denied_at === 'string' ? receipt : undefined
    })
    const waited = await receiptOf(app, path, 1)
    for (const receipt of [acknowledged, waited]) {
      assert.equal(receipt.complete, false)
      assert.equal(find(receipt, nodeOf(two)).verified_at, null)
    }
    held.resolve()
    const receipt = await complete(app, path)
    assert.equal(find(receipt, nodeOf(two)).sessions_cut, 1)
  })

  test('a reset is verified although the device is back with its new password', async (t) => {
    const app = await freshTenants(t)
    const login = await provision(app)
    const old = await connectDevice(t, login)
    const response = await change(app, 'POST', `/devices/${login.device_id}/credentials/reset`, {})
    await closed(old)
    await connectDevice(t, { ...login, mqtt_password: response.body.mqtt_credentials.password })
    const receipt = await complete(app, linkOf(response))
    assert.equal(find(receipt, nodeOf(app)).sessions_cut, 1)
  })

  test('other rules disconnect nobody, and are verified when every session has them', async (t) => {
    const app = await freshTenants(t)
    const login = await provision(app)
    const client = await connectDevice(t, login)
    const template = `/device-templates/${app.seed.template.id}`
    const rule = { action: 'publish', topic: '{slug}/{device_key}/x', permission: 'allow' }
    const changed = await change(app, 'PATCH', template, { mqtt_acl: [rule] })
    const receipt = await complete(app, linkOf(changed))
    assert.equal(receipt.subject, app.seed.template.id)
    assert.equal(find(receipt, nodeOf(app)).sessions_cut, 0)
    assert.ok(client.connected)
    const [session] = app.services.broker.connections(login.device_id)
    assert.equal(session?.grant.rules.length, 1)
    for (const more of [
      { name: 'Other' },
      { default_config: { a: 1 } },
      { mqtt_acl: [rule, { ...rule, topic: '{slug}/{device_key}/y' }] },
    ]) {
      const without = await change(app, 'PATCH', template, more)
      assert.equal(without.headers.link, undefined, 'a change that revokes nothing has no receipt')
    }
  })

  test('each way to revoke links to its receipt', async (t) => {
    const app = await freshTenants(t)
    const principals = '/mqtt/principals'
    const made = await change(app, 'POST', principals, { name: 'Backend' })
    const principal = `${principals}/${made.body.id}`
    const device = `/devices/${(await provision(app)).device_id}`
    const rule = { action: 'publish', topic: '{slug}/x', permission: 'allow' }
    const added = await change(app, 'POST', `${principal}/acls`, rule)
    assert.equal(added.headers.link, undefined, 'wider rights revoke nothing')
    const deny = { ...rule, topic: '{slug}/{device_key}/state', permission: 'deny' }
    const revocations: [string, string, object?][] = [
      ['PATCH', `${principal}/acls/${added.body.id}`, { topic: '{slug}/y' }],
      ['POST', `${principal}/credentials/reset`, {}],
      ['POST', `${principal}/suspend`, {}],
      ['DELETE', principal],
      ['POST', `${device}/acls`, deny],
      ['POST', `${device}/disconnect`, {}],
      ['POST', `${device}/decommission`, {}],
      ['DELETE', device],
    ]
    for (const [method, path, body] of revocations) {
      const receipt = await complete(app, linkOf(await change(app, method, path, body)))
      assert.equal(receipt.subject, path.startsWith(principal) ? made.body.id : device.slice(9))
    }
  })

  test('a process that was killed is named as gone, and holds nothing up', async (t) => {
    const app = await freshTenants(t)
    const dead = newUuid()
    const { pool } = app.database
    const login = await provision(app)
    const insert = `INSERT INTO nodes (id, beat_at) VALUES ($1, now() + interval '10 minutes')`
    await pool.query(insert, [dead])
    const path = linkOf(await change(app, 'POST', `/devices/${login.device_id}/suspend`, {}))
    const silent = `UPDATE nodes SET beat_at = now() - interval '16 seconds' WHERE id = $1`
    await pool.query(silent, [dead])
    const receipt = await complete(app, path)
    const node = find(receipt, `embedded/${dead}`)
    assert.ok(node.gone_at)
    assert.equal(node.verified_at, null)
    assert.equal(node.denied_at, null)
  })

  test('a receipt can be asked for, and includes every session of the workspace', async (t) => {
    const app = await freshTenants(t)
    await connectDevice(t, await provision(app))
    const asked = await change(app, 'POST', '/mqtt/receipts', {})
    assert.equal(asked.status, 201, asked.text)
    const path = `/workspaces/${app.seed.id}/mqtt/receipts/${asked.body.id}`
    const receipt = await complete(app, path)
    assert.equal(receipt.subject, null)
    assert.equal(receipt.reason, 'asked')
    assert.ok(parseId('rcp', receipt.id))
  })

  test('a job has one receipt for all of its devices', async (t) => {
    const app = await freshTenants(t)
    const logins = [await provision(app), await provision(app)]
    const clients = await Promise.all(logins.map((login) => connectDevice(t, login)))
    const job = await change(app, 'POST', '/jobs', {
      action: 'suspend',
      device_ids: logins.map(({ device_id }) => device_id),
    })
    assert.ok(job.status < 300, job.text)
    const entry = await until('the job is completed', async () => {
      const path = `/workspaces/${app.seed.id}/audit-log?action=job.completed`
      const { body } = await app.call('GET', path, { as: as.user(app.seed.owner.token) })
      return body.items[0]
    })
    const path = `/workspaces/${app.seed.id}/mqtt/receipts/${entry.detail.receipt_id}`
    const receipt = await complete(app, path)
    assert.equal(receipt.subject, null)
    assert.ok(clients.every((client) => !client.connected))
    const { rows } = await app.database.pool.query(
      'SELECT count(*)::int AS count FROM mqtt_receipts WHERE workspace_id = $1',
      [app.seed.uuid],
    )
    assert.equal(rows[0].count, 1)
  })

  test('concurrent revocations each have a complete receipt', async (t) => {
    const app = await freshTenants(t)
    const logins = await Promise.all(Array.from({ length: 20 }, () => provision(app)))
    const responses = await Promise.all(
      logins.map(({ device_id }) => change(app, 'POST', `/devices/${device_id}/suspend`, {})),
    )
    const paths = responses.map(linkOf)
    assert.equal(new Set(paths).size, paths.length)
    const receipts = await Promise.all(paths.map((path) => complete(app, path)))
    assert.deepEqual(
      receipts.map(({ subject }) => subject),
      logins.map(({ device_id }) => device_id),
    )
  })
})
