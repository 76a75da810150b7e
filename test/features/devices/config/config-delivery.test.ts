/** Configurations over MQTT, from a change by staff to what the device reports of it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import type { MqttClient } from 'mqtt'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import type { DevicePublisher } from '../../../../src/features/mqtt/sessions/session-events.ts'
import { ConfigDelivery } from '../../../../src/features/devices/config/config-delivery.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import { type Fleet, registerDevice, staff } from '../../../support/commands.ts'
import { connectDevice } from '../../../support/mqtt.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const freshTenants = useTenants()

type Members = Record<string, unknown>

interface Listening {
  client: MqttClient
  metas: Members[]
  responses: Members[]
  ask: (request: Members) => Promise<unknown>
  report: (status: unknown) => Promise<unknown>
}

async function listen(t: TestContext, device: Fleet): Promise<Listening> {
  const client = await connectDevice(t, device)
  const metas: Members[] = []
  const responses: Members[] = []
  client.on('message', (topic, payload) => {
    const said = JSON.parse(payload.toString() || 'null') as Members
    if (topic === `${device.topic}/config/meta`) metas.push(said)
    if (topic === `${device.topic}/config/resp`) responses.push(said)
  })
  await client.subscribeAsync(`${device.topic}/config/#`, { qos: 1 })
  const say = (name: string) => (value: unknown) =>
    client.publishAsync(`${device.topic}/config/${name}`, JSON.stringify(value), { qos: 1 })
  return { client, metas, responses, ask: say('get'), report: say('status') }
}

const pathOf = (app: TestApp, { device_id }: Fleet): string =>
  `/workspaces/${app.seed.id}/devices/${device_id}/config`

async function configure(app: TestApp, device: Fleet, config: Members): Promise<Members> {
  const response = await app.call('PUT', pathOf(app, device), { as: staff(app), body: { config } })
  assert.equal(response.status, 200, response.text)
  return response.body
}

describe('configurations over MQTT', () => {
  test('a device is notified of each change, fetches it in chunks, and its report is shown', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { metas, responses, ask, report } = await listen(t, device)
    await until('the first meta', () => metas.length === 1)
    const config = { interval_s: 60, text: 'x'.repeat(300) }
    const { version, sha256 } = await configure(app, device, config)
    await until('the meta of the change', () => metas.length === 2)
    assert.equal(metas[1]?.version, version)
    assert.equal(metas[1]?.sha256, sha256)

    await ask({ rid: 'r1', want: { chunk_bytes: 100 } })
    await until(
      'all chunks',
      () => responses.length > 0 && responses.length === responses[0]?.total_chunks,
    )
    assert.ok(responses.length >= 3)
    const text = responses.map(({ data_b64 }) => Buffer.from(String(data_b64), 'base64').toString())
    assert.deepEqual(JSON.parse(text.join('')), config)
    assert.equal(createHash('sha256').update(text.join('')).digest('hex'), sha256)

    await report({ version, sha256, status: 'applied' })
    const shown = async () => (await app.call('GET', pathOf(app, device), { as: staff(app) })).body
    await until('the report', async () => (await shown()).reported !== null)
    const { reported } = await shown()
    assert.deepEqual(
      [reported.version, reported.status, reported.is_present],
      [version, 'applied', true],
    )
    await configure(app, device, { interval_s: 30 })
    assert.equal((await shown()).reported.is_present, false)
    await report({ version: Number(version) + 1, ok: false, error: { code: 12 } })
    await until('the failure', async () => (await shown()).reported.status === 'failed')
    assert.equal((await shown()).reported.error, '{"code":12}')
  })

  test('a change of the template, or another one, is sent as well', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { metas } = await listen(t, device)
    await until('the first meta', () => metas.length === 1)
    const patched = await app.call(
      'PATCH',
      `/workspaces/${app.seed.id}/device-templates/${app.seed.template.id}`,
      { as: staff(app), body: { default_config: { unit: 'kelvin' } } },
    )
    assert.equal(patched.status, 200, patched.text)
    await until('the meta of the new default', () => metas.length === 2)
    assert.equal(metas[1]?.version, metas[0]?.version)
    assert.notEqual(metas[1]?.sha256, metas[0]?.sha256)
  })

  test('a device that comes back finds what has changed meanwhile, on any process', async (t) => {
    const app = await freshTenants(t)
    const sibling = await app.sibling()
    const device = await registerDevice(app)
    const first = await listen(t, device)
    await until('the first meta', () => first.metas.length === 1)
    await first.client.endAsync()
    const { sha256 } = await configure(app, device, { interval_s: 5 })
    for (const at of [app, sibling]) {
      const again = await listen(t, { ...device, mqtt_port: at.app.ports.mqtt })
      await until('the present meta', () => again.metas.at(-1)?.sha256 === sha256)
      await again.client.endAsync()
    }
    const there = await listen(t, { ...device, mqtt_port: sibling.app.ports.mqtt })
    await until('the retained meta', () => there.metas.length > 0)
    const { sha256: next } = await configure(app, device, { interval_s: 6 })
    await until('a change by another process', () => there.metas.at(-1)?.sha256 === next)
  })

  test('a meta that no broker took is sent again, and no chunk after one that was lost', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { db, feed, clock } = app.services
    const tried: string[] = []
    let isAway = true
    const publisher: DevicePublisher = {
      publish: ({ topic }) => {
        tried.push(topic.slice(device.topic.length + 1))
        return isAway ? Promise.reject(new Error('away')) : Promise.resolve()
      },
    }
    const delivery = new ConfigDelivery({ db, feed, clock, publisher, log: () => {} })
    t.after(() => delivery.stop())
    const metas = () => tried.filter((topic) => topic === 'config/meta').length
    const addressee = {
      workspaceId: parseId('ws', app.seed.id) as string,
      deviceId: parseId('dev', device.device_id) as string,
      topicPrefix: device.topic,
    }
    const before = feed.sequence
    await configure(app, device, { text: 'x'.repeat(300) })
    // A later change from the feed would have the meta sent again as well.
    await until('the change of the device', () => feed.lastChange(addressee.deviceId) > before)
    const payload = Buffer.from(JSON.stringify({ rid: 1, want: { chunk_bytes: 64 } }))
    const topic = `${device.topic}/config/get`
    delivery.published(addressee, { topic, payload, qos: 1, retain: false })
    await until('the first chunk', () => tried.length > 0)
    const here = { transport: 'tcp' } as const
    delivery.subscribed(here, addressee, [`${device.topic}/config/#`])
    await until('the first meta', () => metas() === 1)
    assert.deepEqual(tried, ['config/resp', 'config/meta'])
    isAway = false
    await until('the meta again', () => metas() === 2)
    delivery.subscribed(here, addressee, [`${device.topic}/config/#`])
    delivery.subscribed({}, addressee, [`${device.topic}/config/#`])
    await until('the meta for an external broker', () => metas() === 3)
  })

  test('a device that asks in a loop gets a 429, and later its configuration', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { responses, ask } = await listen(t, device)
    for (let at = 0; at < 20; at += 1) await ask({ rid: at })
    await until('every refusal', () => responses.some(({ rid }) => rid === 19))
    const refused = responses.filter(({ ok }) => ok === false)
    assert.ok(refused.length >= 10, String(refused.length))
    assert.ok(responses.some(({ ok }) => ok === true))
    const responded = async (): Promise<boolean> => {
      await ask({ rid: 'later' })
      return responses.some(({ rid, ok }) => rid === 'later' && ok === true)
    }
    await until('a later response', responded)
  })

  test('a report makes one event, however often it is sent', async (t) => {
    const app = await freshTenants(t)
    const device = await registerDevice(app)
    const { report } = await listen(t, device)
    for (let at = 0; at < 5; at += 1) await report({ version: 1, status: 'applied' })
    await report('nonsense')
    await report({ version: 1, status: '<script>' })
    const events = () =>
      app.services.db.query<{ n: number }>(
        unnamed(
          `SELECT count(*) AS n FROM events
           WHERE type = 'device.config_reported' AND data->>'device_id' = $1`,
        ),
        [device.device_id],
      )
    await until('the event', async () => ((await events())[0]?.n ?? 0) > 0)
    await report({ version: 2, status: 'failed', error: 'no space' })
    await until('the second event', async () => (await events())[0]?.n === 2)
  })
})
