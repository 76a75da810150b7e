/** The usage of a workspace: counted by all processes, by hours, days and months of UTC. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MqttClient } from 'mqtt'
import { checkUsage } from '../../../../src/features/metering/usage/jobs.ts'
import { closeOverHours } from '../../../../src/features/metering/usage/store.ts'
import { usageBetween } from '../../../../src/features/metering/usage/usage-report.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { cloneDatabase } from '../../../support/database.ts'
import { connectDevice, type DeviceLogin } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const FAR = Date.now() + 1_000 * 3_600_000
const WHOLE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const key = ({ seed }: TestApp) => ({ as: as.platformKey(seed.platformKey) })
const read = (app: TestApp, query = '') =>
  app.call('GET', `/workspaces/${app.seed.id}/usage${query}`, key(app))

/** The counts written so far, of those that are in memory too. */
async function written(...apps: TestApp[]) {
  const [first] = apps as [TestApp]
  for (const { services } of apps) await services.usage.flush()
  return usageBetween(first.database, first.seed.uuid, 0, FAR)
}

async function register({ call, seed }: TestApp, at: TestApp) {
  const { body } = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id },
  })
  return { ...(body as DeviceLogin & { device_key: string }), mqtt_port: at.app.ports.mqtt }
}

const publish = (client: MqttClient, topic: string, qos: 0 | 1 | 2, count: number) =>
  Promise.all(
    Array.from({ length: count }, () => client.publishAsync(topic, '0123456789', { qos })),
  )

/** Hours of 2026, each with twice the messages of the one before, and a device more. */
async function writeHours({ database, seed }: TestApp, hours: readonly string[]): Promise<void> {
  for (const [at, hour] of hours.entries()) {
    const places = [
      [seed.template.uuid, 2 ** at, at + 1],
      [WHOLE, 0, at + 3],
    ]
    for (const [place, messages, peak] of places) {
      await database.pool.query('INSERT INTO usage_hours VALUES ($1, $2, $3, $4, 10, 0, $5)', [
        seed.uuid,
        `2026-${hour}:00:00Z`,
        place,
        messages,
        peak,
      ])
    }
  }
}

describe('usage', () => {
  const start = useTenants()

  test('of two processes is one sum, and each message and call is in it once', async (t) => {
    const one = await start(t)
    const two = await one.sibling()
    const { seed } = one
    const login = await register(one, one)
    const other = await register(one, two)
    const client = await connectDevice(t, login)
    const far = await connectDevice(t, other, { protocolVersion: 5 })
    const second = await connectDevice(t, login, { clientId: `${login.device_id}:2` })
    await second.subscribeAsync(`${seed.slug}/${login.device_key}/cmd`)
    const own = (device: { device_key: string }) => `${seed.slug}/${device.device_key}/telemetry`
    await publish(client, own(login), 1, 20)
    await publish(far, own(other), 2, 30)
    await publish(client, `${seed.slug}/${other.device_key}/telemetry`, 1, 5)
    const heard = new Promise((resolve) => second.once('message', resolve))
    const sent = await one.call('POST', `/workspaces/${seed.id}/mqtt/publish`, {
      ...key(one),
      body: { topic: `${seed.slug}/${login.device_key}/cmd`, payload: 'reboot' },
    })
    assert.ok(sent.status < 300, sent.text)
    await heard
    await until('everything is counted', async () => (await written(one, two)).messages >= 51)
    await until('presence is written', async () => {
      await checkUsage(one.services)
      return (await written(one, two)).connected_devices >= 2
    })
    assert.deepEqual(await written(one, two), {
      connected_devices: 2,
      messages: 51,
      bytes: 506,
      api_calls: 3,
    })
    const { body } = await read(one, '?granularity=hour&by=template')
    // An hour may have ended meanwhile.
    const found = (template: string | null, member: string): number[] =>
      body.items
        .filter(({ template_id: id }: { template_id: string | null }) => id === template)
        .map((item: Record<string, number>) => item[member])
    const sum = (numbers: readonly number[]): number => numbers.reduce((one, more) => one + more, 0)
    const templates = new Set(body.items.map((item: { template_id: unknown }) => item.template_id))
    assert.deepEqual(templates, new Set([null, seed.template.id]))
    assert.equal(sum(found(seed.template.id, 'messages')), 51)
    assert.equal(Math.max(...found(seed.template.id, 'connected_devices')), 2)
    assert.equal(sum(found(null, 'api_calls')), 3)
  })

  test('is exported to the operator as totals of the process', async (t) => {
    const { app, services, seed } = await start(t)
    services.usage.meterOf({ workspaceId: seed.uuid, templateId: null }).messages += 1
    const metrics = await fetch(`http://127.0.0.1:${app.ports.operator}/metrics`)
    const text = await metrics.text()
    const { messages, bytes } = services.usage.totals()
    assert.ok(messages > 0)
    assert.match(text, new RegExp(`^mooring_usage_messages_total ${messages}$`, 'm'))
    assert.match(text, new RegExp(`^mooring_usage_bytes_total ${bytes}$`, 'm'))
    assert.match(text, /^mooring_usage_api_calls_total [1-9]/m)
    assert.match(text, /^mooring_usage_connected_devices \d+$/m)
  })

  test('that is in memory when a process stops in order is not lost', async (t) => {
    const one = await start(t)
    const two = await one.sibling()
    const before = await written(one, two)
    for (let n = 0; n < 7; n += 1) await two.call('GET', `/workspaces/${two.seed.id}`, key(two))
    await two.close()
    assert.equal((await written(one)).api_calls - before.api_calls, 7)
  })

  test('of months and days uses UTC, independent of the time zone of the database', async (t) => {
    const connection = { ...(await cloneDatabase(t)), options: '-c TimeZone=America/New_York' }
    const app = await startApp(t, { connection })
    const { template } = app.seed
    await writeHours(app, ['01-31T23', '02-01T00', '02-28T23', '03-01T00'])
    await closeOverHours.run(app.database, { seconds: 0 })
    const range = 'from=2026-01-15T00:00:00Z&to=2026-03-01T00:00:01Z'
    const months = await read(app, `?granularity=month&${range}`)
    const received = months.body.items.map((item: Record<string, unknown>) => [
      item.starts_at,
      item.ends_at,
      item.messages,
      item.connected_devices,
      item.is_closed,
    ])
    const at = (day: string) => `2026-${day}T00:00:00.000Z`
    const { now } = (await app.database.pool.query<{ now: number }>('SELECT now() AS now'))
      .rows[0] as { now: number }
    assert.deepEqual(received, [
      [at('01-01'), at('02-01'), 1, 3, true],
      [at('02-01'), at('03-01'), 6, 5, true],
      [at('03-01'), at('04-01'), 8, 6, now > Date.parse(at('04-01'))],
    ])
    const by = `?granularity=day&by=template&limit=2&${range}`
    const first = await read(app, by)
    const rest = await read(app, `${by}&cursor=${first.body.next_cursor}`)
    const days = [...first.body.items, ...rest.body.items]
    assert.deepEqual(
      days.map(({ starts_at, template_id, connected_devices }) => [
        starts_at.slice(5, 10),
        template_id,
        connected_devices,
      ]),
      [
        ['01-31', template.id, 1],
        ['02-01', template.id, 2],
        ['02-28', template.id, 3],
        ['03-01', template.id, 4],
      ],
    )
    assert.equal(rest.body.next_cursor, null)
    const path = `/workspaces/${app.seed.id}/usage/export?granularity=month&${range}`
    const csv = await app.call('GET', `${path}&format=csv`, key(app))
    assert.match(csv.headers['content-type'] ?? '', /^text\/csv/)
    const [header, january] = csv.text.split('\r\n')
    assert.equal(
      header,
      'starts_at,ends_at,template_id,connected_devices,messages,bytes,api_calls,is_closed',
    )
    assert.equal(january, `${at('01-01')},${at('02-01')},,3,1,20,0,true`)
    assert.equal(
      csv.text.split('\r\n').length,
      5,
      'the file has a header, three months and a final line',
    )
  })

  test('is refused for a range that is turned round or too long, naming the member', async (t) => {
    const app = await start(t)
    const cases: [string, string][] = [
      ['from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', '/query/to'],
      ['granularity=hour&from=2026-01-01T00:00:00Z&to=2026-02-02T00:00:00Z', '/query/from'],
      ['granularity=day&from=2025-01-01T00:00:00Z&to=2026-02-02T00:00:00Z', '/query/from'],
      ['granularity=month&from=2020-01-01T00:00:00Z&to=2026-02-02T00:00:00Z', '/query/from'],
    ]
    for (const [query, pointer] of cases) {
      const { status, body } = await read(app, `?${query}`)
      assert.equal(status, 400, query)
      assert.equal(body.errors[0].pointer, pointer, query)
    }
    assert.equal((await read(app, '?cursor=nonsense')).body.code, 'invalid_cursor')
  })
})
