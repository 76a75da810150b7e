/**
 * Operations that a plan limits are refused once it is used up; operations that must never be
 * refused continue.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { IClientOptions } from 'mqtt'
import { warnOfLimits } from '../../../../src/features/metering/usage/thresholds.ts'
import { isPlanLimited } from '../../../../src/platform/http/operation.ts'
import { operations } from '../../../../src/operations.ts'
import { formatId, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
import { useBilledTenants } from '../../../support/billing.ts'
import { connectDevice, type DeviceLogin, tryConnect } from '../../../support/mqtt.ts'
import { mailTo } from '../../../support/outbox.ts'
import { examplePlans, plansFile } from '../../../support/plans.ts'
import { type Seed, seed } from '../../../support/seed.ts'
import { until } from '../../../support/until.ts'

const limits = {
  connected_devices: 3,
  messages_per_month: 10,
  bytes_per_month: 1_000,
  api_calls_per_month: 40,
}

const file = examplePlans()
const [free] = file.plans as [(typeof file.plans)[number]]
const environment = { MOORING_PLANS_FILE: plansFile({ ...file, plans: [{ ...free, limits }] }) }

type Device = DeviceLogin & { device_key: string; device_http_token: string; device_id: string }

const key = ({ seed }: TestApp) => ({ as: as.platformKey(seed.platformKey) })

async function register({ call, seed, app }: TestApp, hardwareId?: string): Promise<Device> {
  const { status, body } = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id, ...(hardwareId && { hardware_id: hardwareId }) },
  })
  assert.ok(status < 300, JSON.stringify(body))
  return { ...body, mqtt_port: app.ports.mqtt }
}

const registerAll = (app: TestApp, count: number): Promise<Device[]> =>
  Promise.all(Array.from({ length: count }, () => register(app)))

const monthOf = async ({ database, seed }: TestApp) =>
  (
    await database.pool.query<{ messages: number; bytes: number; api_calls: number }>(
      'SELECT messages, bytes, api_calls FROM usage_months WHERE workspace_id = $1',
      [seed.uuid],
    )
  ).rows[0]

type Call = [method: string, path: string, options: object]

/** Requests that find, end, narrow and rotate, as method, path and the rest. */
function neverRefused(app: TestApp, device: Device, another: Device): Call[] {
  const { seed } = app
  const path = `/workspaces/${seed.id}`
  const own = { as: as.device(device.device_http_token) }
  const factory = { as: as.factory(seed.provisionKey) }
  const known = { template_id: seed.template.id, hardware_id: 'hw-1' }
  const provisionKey = `${path}/api-keys/${formatId('key', seed.provisionKeyUuid)}`
  const deny = {
    action: 'publish',
    topic: `${seed.slug}/${device.device_key}/x`,
    permission: 'deny',
  }
  return [
    ...['devices', 'api-keys', 'members', 'invitations', 'mqtt/principals', 'mqtt/connections'].map(
      (list): Call => ['GET', `${path}/${list}`, key(app)],
    ),
    ['GET', `${path}/devices/${device.device_id}`, key(app)],
    ['PATCH', provisionKey, { ...key(app), body: { device_quota: 2 } }],
    ['POST', `${path}/devices/${device.device_id}/acls`, { ...key(app), body: deny }],
    ['POST', '/provision/device', { ...factory, body: known }],
    ['POST', '/devices/auth/credentials/rotate', own],
    ['POST', `${path}/devices/${device.device_id}/suspend`, key(app)],
    ['DELETE', `${path}/devices/${another.device_id}`, key(app)],
    [
      'POST',
      `${path}/jobs`,
      { ...key(app), body: { action: 'suspend', filter: 'tags.site = "x"' } },
    ],
    [
      'POST',
      `${path}/rotation-campaigns`,
      { ...key(app), body: { filter: '', wave_percent: 100, confirm_within_s: 3600 } },
    ],
    ['GET', `${path}/usage`, key(app)],
    ['GET', `${path}/subscription`, key(app)],
    ['GET', '/plans', key(app)],
    ['DELETE', provisionKey, key(app)],
    ['POST', '/auth/logout', { as: as.user(seed.owner.token) }],
  ]
}

describe('limits of a plan', () => {
  const start = useBilledTenants({ environment })
  const v5: IClientOptions = { protocolVersion: 5 }

  test('of connected devices hold for CONNECTs alongside each other, each device counted once', async (t) => {
    const app = await start(t)
    const devices = await registerAll(app, 8)
    const outcomes = await Promise.all(
      devices.map((device, at) => tryConnect(t, device, at % 2 === 0 ? v5 : {})),
    )
    const codes = outcomes.map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 0).length, limits.connected_devices)
    for (const [at, code] of codes.entries()) {
      if (code !== 0) assert.equal(code, at % 2 === 0 ? 0x97 : 3)
    }
    const inside = devices[codes.indexOf(0)] as Device
    const second = await tryConnect(t, inside, { clientId: `${inside.device_id}:2` })
    assert.equal(second.code, 0, 'a second session of a device is not counted as a device')
    const outside = devices[codes.findIndex((code) => code !== 0)] as Device
    second.client.end(true)
    outcomes[codes.indexOf(0)]?.client.end(true)
    const comesIn = async () => (await tryConnect(t, outside)).code === 0
    await until('there is room for another one', comesIn)
  })

  test('of connected devices hold over processes, and let a device move', async (t) => {
    const one = await start(t)
    const two = await one.sibling()
    const devices = await registerAll(one, limits.connected_devices + 1)
    const last = devices.pop() as Device
    const clients = await Promise.all(devices.map((device) => connectDevice(t, device)))
    const there = { mqtt_port: two.app.ports.mqtt }
    const refused = async () => {
      const { code, client } = await tryConnect(t, { ...last, ...there })
      client.end(true)
      return code === 3
    }
    await until('the other process knows that it is full', refused)
    const isThere = `SELECT FROM device_presence
                     WHERE workspace_id = $1 AND device_id = $2 AND connected`
    await until('the end of the earlier sessions is known', async () => {
      const ids = [one.seed.uuid, parseId('dev', last.device_id)]
      return (await one.database.pool.query(isThere, ids)).rowCount === 0
    })
    const [moving] = devices as [Device]
    assert.equal((await tryConnect(t, { ...moving, ...there })).code, 0)
    assert.equal((await tryConnect(t, last)).code, 3)
    for (const client of clients) client.end(true)
    const comesIn = async () => (await tryConnect(t, { ...last, ...there })).code === 0
    await until('the other process has room again', comesIn)
  })

  test('of connected devices do not refuse devices that reconnect from a dead process', async (t) => {
    const one = await start(t)
    const two = await one.sibling()
    const devices = await registerAll(one, limits.connected_devices)
    await Promise.all(devices.map((device) => connectDevice(t, device)))
    await until('all are known to be there', async () => {
      const { rows } = await one.database.pool.query(
        'SELECT FROM device_presence WHERE workspace_id = $1 AND connected',
        [one.seed.uuid],
      )
      return rows.length === devices.length
    })
    const there = { mqtt_port: two.app.ports.mqtt }
    const outcomes = await Promise.all(
      devices.map((device) => tryConnect(t, { ...device, ...there })),
    )
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [0, 0, 0],
    )
  })

  test('of messages refuse only publishing', async (t) => {
    const app = await start(t)
    const { seed, services, call } = app
    const [old, other] = (await registerAll(app, 2)) as [Device, Device]
    const firmware = await connectDevice(t, old)
    const modern = await connectDevice(t, other, v5)
    const topicOf = ({ device_key }: Device, suffix: string) =>
      `${seed.slug}/${device_key}/${suffix}`
    const publish = (qos: 0 | 1 | 2) =>
      modern.publishAsync(topicOf(other, 'telemetry'), 'x', { qos })
    for (let n = 0; n < limits.messages_per_month; n += 1) await publish(1)
    await until('all are counted', async () => {
      await services.usage.flush()
      return (await monthOf(app))?.messages === limits.messages_per_month
    })
    await assert.rejects(publish(1), { code: 0x97 })
    await assert.rejects(publish(2), { code: 0x97 })
    await publish(0)
    // It has no response that says no but the end of the connection.
    await firmware.publishAsync(topicOf(old, 'telemetry'), 'x', { qos: 1 })
    assert.equal(firmware.connected, true)
    await services.usage.flush()
    assert.equal((await monthOf(app))?.messages, limits.messages_per_month)
    assert.equal((await tryConnect(t, old, { clientId: `${old.device_id}:2` })).code, 0)
    await firmware.subscribeAsync(topicOf(old, 'cmd'), { qos: 1 })
    const heard = new Promise((resolve) => firmware.once('message', resolve))
    const body = { topic: topicOf(old, 'cmd'), payload: 'reboot' }
    await call('POST', `/workspaces/${seed.id}/mqtt/publish`, { ...key(app), body })
    await heard
    await app.database.pool.query('DELETE FROM usage_months WHERE workspace_id = $1', [seed.uuid])
    await services.usage.flush()
    await publish(1)
  })

  test('of bytes also refuse publishing', async (t) => {
    const app = await start(t)
    const device = await register(app)
    const client = await connectDevice(t, device, v5)
    const topic = `${app.seed.slug}/${device.device_key}/telemetry`
    await client.publishAsync(topic, Buffer.alloc(limits.bytes_per_month), { qos: 1 })
    await until('it is counted', async () => {
      await app.services.usage.flush()
      return (await monthOf(app))?.bytes === limits.bytes_per_month
    })
    await assert.rejects(client.publishAsync(topic, '', { qos: 1 }), { code: 0x97 })
  })

  test('of calls refuse requests with full details, but never safety operations', async (t) => {
    const app = await start(t)
    const { call, seed, services } = app
    const path = `/workspaces/${seed.id}`
    const device = await register(app, 'hw-1')
    const another = await register(app, 'hw-2')
    const read = () => call('GET', `${path}/mqtt/endpoints`, key(app))
    // No more than there are left: the count may be known before the last has come in.
    await Promise.all(Array.from({ length: limits.api_calls_per_month - 2 }, read))
    await services.usage.flush()
    const { api_calls: use } = (await monthOf(app)) as { api_calls: number }
    assert.equal(use, limits.api_calls_per_month)
    const refused = await read()
    assert.deepEqual([refused.status, refused.body.code], [429, 'plan_limit_reached'])
    const { reset_seconds, ...limit } = refused.body.limit
    assert.deepEqual(limit, { name: 'api_calls_per_month', value: 40, use })
    assert.ok(reset_seconds > 0 && reset_seconds <= 31 * 86_400)
    assert.equal(refused.headers['retry-after'], String(reset_seconds))
    const own = { as: as.device(device.device_http_token) }
    assert.equal((await call('GET', '/devices/auth/me', own)).status, 429)
    const never = neverRefused(app, device, another)
    for (const [method, to, options] of never) {
      const { status, text } = await call(method, to, options)
      assert.ok(status < 300, `${method} ${to}: ${status} ${text}`)
    }
    await services.usage.flush()
    assert.ok(
      ((await monthOf(app))?.api_calls ?? 0) >= use + never.length - 4,
      'the requests are counted',
    )
  })

  test('never refuse lookups of resources that can be ended', () => {
    const limited = new Map(
      operations.filter(isPlanLimited).map(({ method, path, id }) => [`${method} ${path}`, id]),
    )
    const hidden = operations
      .filter((operation) => operation.method !== 'GET' && !isPlanLimited(operation))
      .flatMap(({ path, tag }) => {
        const last = path.lastIndexOf('/:')
        const thing = path.slice(0, path.indexOf('/', last + 1) + 1 || undefined).replace(/\/$/, '')
        const places = last < 0 || tag === 'Billing' ? [path] : [path, thing, path.slice(0, last)]
        return places.map((place) => limited.get(`GET ${place}`))
      })
    assert.deepEqual([...new Set(hidden)], [undefined])
  })

  test('are never those of operations that end, rotate, delete, register or pay', () => {
    for (const operation of operations) {
      const { bucket, method, tag, id } = operation
      const isFree = bucket === 'safety' || bucket === 'provision' || method === 'DELETE'
      assert.equal(isPlanLimited(operation) && (isFree || tag === 'Billing'), false, id)
    }
  })

  test('warn once at each threshold, by an event and by mail to owners, with any number of processes', async (t) => {
    const app = await start(t)
    const { seed, services, database } = app
    const use = async (messages: number): Promise<void> => {
      const meter = services.usage.meterOf({ workspaceId: seed.uuid, templateId: null })
      meter.messages += messages
      await services.usage.flush()
      await Promise.all(
        Array.from({ length: 12 }, () => warnOfLimits({ ...services, db: database })),
      )
    }
    const received = async () => {
      const { rows } = await database.pool.query<{ data: Record<string, unknown> }>(
        `SELECT data FROM events WHERE workspace_id = $1 AND type = 'usage.threshold_reached'
         ORDER BY (data->>'threshold')::int`,
        [seed.uuid],
      )
      return rows.map(({ data }) => [data.meter, data.limit, data.threshold, data.use, data.value])
    }
    await use(4)
    assert.deepEqual(await received(), [])
    await use(1)
    const first = ['messages', 'messages_per_month', 50, 5, 10]
    assert.deepEqual(await received(), [first])
    await use(6)
    const rest = [80, 100].map((threshold) => ['messages', 'messages_per_month', threshold, 11, 10])
    assert.deepEqual(await received(), [first, ...rest])
    const mails = await mailTo(app, seed.owner.email)
    assert.equal(mails.length, 2, 'the second mail reports only the highest share')
    assert.match(mails[0]?.text ?? '', /messages_per_month: 11 of 10, which is 100 % or more/)
  })

  test('warn of one workspace even if another one cannot be checked', async (t) => {
    const { app, services, database } = await start(t)
    const tenants = [await seed(app), await seed(app)].toSorted((a, b) =>
      a.uuid < b.uuid ? -1 : 1,
    )
    for (const { uuid } of tenants) {
      services.usage.meterOf({ workspaceId: uuid, templateId: null }).messages += 5
    }
    await services.usage.flush()
    const [broken, good] = tenants as [Seed, Seed]
    const limitsOf = (id: string) =>
      id === broken.uuid ? Promise.reject(new Error('unreadable')) : Promise.resolve(limits)
    await assert.rejects(warnOfLimits({ ...services, db: database, limitsOf }), /unreadable/)
    const { rowCount } = await database.pool.query(
      `SELECT FROM events WHERE workspace_id = $1 AND type = 'usage.threshold_reached'`,
      [good.uuid],
    )
    assert.equal(rowCount, 1)
  })
})
