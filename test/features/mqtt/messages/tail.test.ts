/** A stream shows messages of every process and broker, within bounds, and of no other tenant. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import mqtt from 'mqtt'
import { observedOf, TailBuffer } from '../../../../src/features/mqtt/messages/tail-buffer.ts'
import { TAIL_PAYLOAD_BYTES, TAIL_RATE } from '../../../../src/features/mqtt/messages/schema.ts'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { as, startApp, type TestApp } from '../../../support/app.ts'
import { defer } from '../../../support/cleanup.ts'
import { listen, type Listener } from '../../../support/event-stream.ts'
import { connectDevice, type DeviceLogin } from '../../../support/mqtt.ts'
import { seedUser } from '../../../support/seed.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { plainBrokers } from '../bridges/plain-brokers.ts'

const freshTenants = useTenants()

interface Device extends DeviceLogin {
  prefix: string
  workspace_slug: string
}

async function provision({ call, seed }: TestApp): Promise<Device> {
  const { body } = await call('POST', '/provision/device', {
    as: as.factory(seed.provisionKey),
    body: { template_id: seed.template.id },
  })
  return { ...body, prefix: `${body.workspace_slug}/${body.device_key}` }
}

const pathOf = ({ seed }: Pick<TestApp, 'seed'>, query = ''): string =>
  `/workspaces/${seed.id}/mqtt/messages${query}`

/** Opens a stream, which has begun when this resolves. */
async function watch(
  t: TestContext,
  app: Pick<TestApp, 'url' | 'seed'>,
  query = '',
): Promise<Listener> {
  const headers = as.user(app.seed.owner.token)
  const listener = await listen(`${app.url}${pathOf(app, query)}`, headers)
  defer(t, () => listener.close())
  assert.equal(listener.status, 200, listener.text)
  await listener.hear(1)
  return listener
}

const seenBy = ({ heard }: Listener) =>
  heard.filter(({ type }) => type === 'message').map(({ data }) => data)

const auditOf = async (app: TestApp, action: string) => {
  const path = `/workspaces/${app.seed.id}/audit-log?action=${action}`
  const { body } = await app.call('GET', path, { as: as.user(app.seed.owner.token) })
  return body.items as { detail: Record<string, unknown>; data?: Record<string, unknown> }[]
}

suite('watching messages', () => {
  test('messages of clients and of the service are shown as they are published, configurations only on request', async (t) => {
    const app = await freshTenants(t)
    const device = await provision(app)
    const client = await connectDevice(t, device)
    const all = await watch(t, app, '?config=true')
    const one = await watch(t, app, `?topic=${encodeURIComponent(`${device.prefix}/+`)}`)
    const usual = await watch(t, app)
    const outsider = await watch(t, { ...app, seed: { ...app.seed, ...app.seed.other } })
    await client.publishAsync(`${device.prefix}/telemetry`, '{"t":21.5}', { qos: 1 })
    await client.publishAsync(`${device.prefix}/config/status`, '{}', { qos: 1 })
    await app.call('POST', `/workspaces/${app.seed.id}/mqtt/publish`, {
      as: as.platformKey(app.seed.platformKey),
      body: { topic: `${device.workspace_slug}/news/today`, payload: 'open' },
    })
    await app.call('POST', `/workspaces/${app.seed.id}/devices/${device.device_id}/commands`, {
      as: as.platformKey(app.seed.platformKey),
      body: { name: 'blink', payload: {} },
    })
    await client.subscribeAsync(`${device.prefix}/cmd`, { qos: 1 })
    const isThere = (listener: Listener, suffix: string): boolean =>
      seenBy(listener).some(({ topic }) => topic.endsWith(suffix))
    await until('everything is seen', () =>
      ['/telemetry', '/config/status', '/news/today', '/cmd'].every((each) => isThere(all, each)),
    )
    await until('and by the others', () => isThere(usual, '/cmd') && isThere(one, '/cmd'))
    const [telemetry] = seenBy(all)
    const { at, ...rest } = telemetry
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      topic: `${device.prefix}/telemetry`,
      broker: 'embedded',
      client: device.device_id,
      qos: 1,
      retain: false,
      bytes: 10,
      encoding: 'text',
      payload: '{"t":21.5}',
    })
    const published = seenBy(all).filter(({ topic }) => topic.endsWith('/news/today'))
    assert.deepEqual(
      published.map(({ client: from }) => from),
      ['service'],
    )
    assert.ok(!isThere(usual, '/config/status') && !isThere(one, '/news/today'))
    assert.deepEqual(seenBy(outsider), [])
    one.close()
    const ended = await until('the end is in the audit log', async () => {
      const items = await auditOf(app, 'mqtt_messages.observation_ended')
      return items.length > 0 && items
    })
    assert.match(JSON.stringify(ended[0]), /"topic":"[^"]+\/\+"/)
    assert.equal((await auditOf(app, 'mqtt_messages.observed')).length, 3)
  })

  test('messages of another process are seen too, each once', async (t) => {
    const app = await freshTenants(t)
    const two = await app.sibling()
    const device = await provision(app)
    const there = await connectDevice(t, { ...device, mqtt_port: two.app.ports.mqtt })
    const listener = await watch(t, app)
    let number = 0
    // The other process learns within a moment that it is watched.
    await until('the other process passes messages on', async () => {
      number += 1
      await there.publishAsync(`${device.prefix}/telemetry`, String(number), { qos: 1 })
      return seenBy(listener).length > 0
    })
    await there.publishAsync(`${device.prefix}/events`, 'last', { qos: 1 })
    await until('the last', () => seenBy(listener).some(({ payload }) => payload === 'last'))
    const payloads = seenBy(listener).map(({ payload }) => payload)
    assert.deepEqual(payloads, [...new Set(payloads)])
    listener.close()
    await until('nothing is left', async () => {
      const text = 'SELECT count(*)::int AS n FROM mqtt_tails WHERE workspace_id = $1'
      return (await app.database.query<{ n: number }>(unnamed(text), [app.seed.uuid]))[0]?.n === 0
    })
  })

  test('messages on an external broker are seen, whatever their topic, but not what it had kept', async (t) => {
    const [aedes] = plainBrokers
    const port = (await aedes?.start(t)) ?? 0
    const folder = mkdtempSync(join(tmpdir(), 'mooring-tail-'))
    defer(t, () => rmSync(folder, { recursive: true }))
    const login = {
      url: `mqtt://127.0.0.1:${port}`,
      username: 'mooring',
      password: 'a very long password',
    }
    const hook_secrets = ['a-secret-of-the-hooks-0123456789abcdef']
    const entry = { name: 'far', kind: 'mosquitto-go-auth', hook_secrets, mqtt: login }
    const file = join(folder, 'brokers.json')
    writeFileSync(file, JSON.stringify({ brokers: [entry] }), { mode: 0o600 })
    const app = await startApp(t, { environment: { MOORING_BROKERS_FILE: file } })
    const device = await provision(app)
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 })
    defer(t, () => client.end(true))
    const topic = `${device.prefix}/telemetry`
    await client.publishAsync(topic, 'kept', { qos: 1, retain: true })
    const listener = await watch(t, app)
    await until('the broker is subscribed to', async () => {
      await client.publishAsync(topic, 'new', { qos: 1 })
      return seenBy(listener).length > 0
    })
    for (const { broker, client: from, payload } of seenBy(listener)) {
      assert.deepEqual([broker, from, payload], ['far', null, 'new'])
    }
  })

  test('a stream ends when its topics are no longer those of the workspace', async (t) => {
    const app = await freshTenants(t)
    const listener = await watch(t, app)
    const text = "UPDATE workspaces SET slug = slug || '-2' WHERE id = $1 RETURNING 1"
    await app.database.query(unnamed(text), [app.seed.uuid])
    assert.equal(await listener.end(), 'end')
  })

  test('callers without the right to watch, and topics outside of the workspace, are refused', async (t) => {
    const app = await freshTenants(t)
    const viewer = await seedUser(app.app, { [app.seed.uuid]: 'viewer' })
    const asked = await app.call('GET', pathOf(app), { as: as.user(viewer.token) })
    assert.equal(asked.body.code, 'permission_denied')
    const { workspace_slug: slug } = await provision(app)
    for (const topic of ['#', '+/x', slug, `${slug}/#/x`, `$share/g/${slug}/x`, 'other/#']) {
      const path = pathOf(app, `?topic=${encodeURIComponent(topic)}`)
      const refused = await app.call('GET', path, { as: as.user(app.seed.owner.token) })
      assert.equal(refused.body.errors?.[0]?.pointer, '/query/topic', topic)
    }
    const described = await app.call('GET', pathOf(app), { as: as.user(app.seed.owner.token) })
    assert.deepEqual(described.body, { topic: `${slug}/#`, config: false })
  })
})

const message = (payload: Buffer) => ({ topic: 'a/b', payload, qos: 0 as const, retain: false })
const from = { client: null, broker: 'embedded' }

test('no more than fifty messages of a second are kept, and the others are counted', () => {
  const buffer = new TailBuffer()
  const add = (count: number, now: number): void => {
    for (let at = 0; at < count; at += 1) {
      if (buffer.admits(now)) buffer.add(observedOf(message(Buffer.from('x')), from, now))
    }
  }
  add(TAIL_RATE + 7, 1_000)
  add(3, 1_999)
  add(2, 2_000)
  const { messages, skipped } = buffer.take()
  assert.deepEqual([messages.length, skipped], [TAIL_RATE + 2, 10])
  assert.deepEqual(buffer.take(), { messages: [], skipped: 0 })
  for (let second = 3; second < 60; second += 1) add(TAIL_RATE, second * 1_000)
  const late = buffer.take()
  assert.ok(late.messages.length <= 4 * TAIL_RATE)
  assert.equal(late.messages.length + late.skipped, 57 * TAIL_RATE)
})

test('a payload is shown up to 4 KiB, in whole characters, and binary data as base64', () => {
  const long = observedOf(message(Buffer.from(`x${'ä'.repeat(4_000)}`)), from, 0)
  assert.deepEqual([long.bytes, long.encoding], [8_001, 'text'])
  assert.equal(long.payload, `x${'ä'.repeat((TAIL_PAYLOAD_BYTES - 2) / 2)}`)
  const binary = observedOf(message(Buffer.from([0xff, 0])), from, 0)
  assert.deepEqual([binary.encoding, binary.payload], ['base64', '/wA='])
})
