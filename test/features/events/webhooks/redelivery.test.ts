/** The log of deliveries, and what is sent once more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { formatId, newUuid, parseId } from '../../../../src/platform/lib/ids.ts'
import type { TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import {
  eventsOf,
  newDevices,
  numbersByDevice,
  publish,
  startReceiver,
  toReceivers,
  webhooksOf,
} from '../../../support/webhook-receiver.ts'

const freshTenants = useTenants({
  environment: { ...toReceivers, MOORING_WEBHOOK_RETRY_S: '0.1,0.2,0.5,1' },
})

/** A receiver that takes something now and then has not failed as a whole. */
async function whileOthersCome<T>(app: TestApp, what: string, probe: () => Promise<T | false>) {
  const [device = ''] = newDevices(1)
  return until(what, async () => {
    await publish(app, [{ device, n: 0 }])
    return probe()
  })
}

type Item = { id: string; status: string; device_id: string; tries: number; event: unknown }

test('attempts that an older release stored are read with the defaults of what they lack', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const { url } = await startReceiver(t, () => 200)
  const { id } = await make({ url, types: ['device.*'] })
  const delivery = newUuid()
  const attempt = { at: 1_700_000_000_000, url, status: 503 }
  await app.database.query(
    unnamed(`INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, type,
                                             status, tries, attempts)
             VALUES ($1, $2, $3, $4, 1, 'device.registered', 'dead', 1, $5)`),
    [app.seed.uuid, parseId('whk', id), delivery, newUuid(), JSON.stringify([attempt])],
  )
  const read = { status: 503, failure: null, answer: '', took_ms: 0 }
  const { items } = (await send('GET', `/${id}/deliveries`)).body
  assert.partialDeepStrictEqual(items[0].last_attempt, read)
  const one = (await send('GET', `/${id}/deliveries/${formatId('dlv', delivery)}`)).body
  assert.partialDeepStrictEqual(one.attempts, [read])
})

test('an event that is not accepted in time is a dead letter, and the next of its device is sent', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  let isRepaired = false
  const { url, got } = await startReceiver(t, ({ n }) =>
    n === 1 && !isRepaired ? { status: 500, body: 'x'.repeat(2_000) } : 200,
  )
  const { id } = await make({ url, types: ['device.*'] })
  const devices = newDevices(1)
  await publish(app, eventsOf(devices, 3))
  const list = async (status: string): Promise<Item[]> =>
    (await send('GET', `/${id}/deliveries?status=${status}`)).body.items
  const [dead] = await whileOthersCome(app, 'it is dead', async () => {
    const items = await list('dead')
    return items.length > 0 && items
  })
  const name = formatId('dev', devices[0] ?? '')
  await until('the rest has come', () => numbersByDevice(got).get(name)?.at(-1) === 2)
  const { tries = 0, device_id } = dead ?? {}
  assert.ok(tries >= 4)
  assert.equal(device_id, name)
  assert.deepEqual(numbersByDevice(got).get(name), [0, ...Array(tries).fill(1), 2])
  const one = (await send('GET', `/${id}/deliveries/${dead?.id}`)).body
  const tried = got.filter(({ n }) => n === 1)
  assert.equal(one.body, tried[0]?.body)
  const { occurred_at, data } = JSON.parse(one.body)
  assert.deepEqual(dead?.event, { occurred_at, data })
  assert.equal(one.attempts.length, tries)
  for (const [at, attempt] of one.attempts.entries()) {
    const { headers, status, answer, failure } = attempt
    for (const header of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      assert.equal(headers[header], tried[at]?.headers[header])
    }
    assert.deepEqual([status, answer.length, failure], [500, 1_024, null])
  }
  isRepaired = true
  const again = await send('POST', `/${id}/deliveries/${dead?.id}/redeliver`)
  assert.deepEqual([again.status, again.body.status, again.body.tries], [202, 'waiting', 0])
  await until('it is taken', () => numbersByDevice(got).get(name)?.at(-1) === 1)
  await until('the delivery is no longer dead', async () => (await list('dead')).length === 0)
  assert.equal(
    got.findLast(({ n }) => n === 1)?.headers['webhook-id'],
    tried[0]?.headers['webhook-id'],
  )
})

test('a range is sent once more: its dead letters, or all of it, each device in order', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  let isBad = true
  const { url, got } = await startReceiver(t, ({ n }) => (isBad && n === 2 ? 422 : 200))
  const { id } = await make({ url, types: ['device.*'] })
  const begun = new Date(Date.now() - 60_000).toISOString()
  const devices = newDevices(6)
  await publish(app, eventsOf(devices, 4))
  const count = async (status: string): Promise<number> =>
    (await send('GET', `/${id}/deliveries?limit=200&status=${status}`)).body.items.length
  const names = new Set(devices.map((device) => formatId('dev', device)))
  const ours = () => got.filter(({ device }) => names.has(device))
  await whileOthersCome(app, 'six are dead', async () => (await count('dead')) === 6)
  await until('the rest has come', () => ours().filter(({ n }) => n === 3).length === 6)
  const before = ours().length
  isBad = false
  const body = { after: begun, status: 'dead' }
  const trial = await send('POST', `/${id}/redeliver?dry_run=true`, body)
  assert.deepEqual(trial.body.events, { value: 6, is_lower_bound: false })
  const other = { ...body, types: ['claim.*'] }
  assert.equal((await send('POST', `/${id}/redeliver?dry_run=true`, other)).body.events.value, 0)
  assert.equal(await count('dead'), 6)
  assert.equal(ours().length, before)
  const dead = await send('POST', `/${id}/redeliver`, body)
  assert.deepEqual([dead.status, dead.body.status], [202, 'dead'])
  await until('all dead ones come', () => ours().length === before + 6)
  assert.deepEqual(
    ours()
      .slice(before)
      .map(({ n }) => n),
    Array(6).fill(2),
  )
  // A delivery that still waits would not be sent twice by a range.
  await until('none is dead or waits', async () => {
    return (await count('dead')) + (await count('waiting')) === 0
  })
  const all = { after: begun, types: ['device.updated'] }
  const sent = await send('POST', `/${id}/redeliver`, all)
  assert.equal(sent.status, 202)
  assert.ok(sent.body.events.value >= 24, sent.text)
  await until('all come again', () => ours().length === before + 30)
  for (const numbers of numbersByDevice(ours().slice(before + 6)).values()) {
    assert.deepEqual(numbers, [0, 1, 2, 3])
  }
  const future = { after: begun, until: '2001-01-01T00:00:00Z' }
  const refused = await send('POST', `/${id}/redeliver`, future)
  assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/until'])
})

test('a range keeps the order of each device, though one of its events fails again', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const COUNT = 300
  const taken: number[] = []
  let failures = 0
  const { url } = await startReceiver(t, ({ n }) => {
    const fails = taken.length >= COUNT && n === 1 && failures < 3
    if (fails) failures += 1
    else taken.push(n)
    return fails ? 500 : 200
  })
  const { id } = await make({ url, types: ['device.*'] })
  // More than are known of at once.
  const [device = ''] = newDevices(1)
  const begun = new Date(Date.now() - 60_000).toISOString()
  await publish(app, eventsOf([device], COUNT))
  await until('all have come, and it is written', async () => {
    const { rows } = await app.database.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM webhook_deliveries WHERE webhook_id = $1`,
      [parseId('whk', id)],
    )
    return taken.length === COUNT && rows[0]?.n === COUNT
  })
  const range = { after: begun, types: ['device.updated'] }
  assert.equal((await send('POST', `/${id}/redeliver`, range)).status, 202)
  await until('all come again', () => taken.length === 2 * COUNT)
  assert.equal(failures, 3)
  assert.deepEqual(
    taken.slice(COUNT),
    Array.from({ length: COUNT }, (_none, n) => n),
  )
})

test('a redelivery without a delivery, an enabled webhook or an event is refused', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const { id } = await make({ url: 'https://hooks.example.com/', types: ['device.deleted'] })
  const none = formatId('dlv', newUuid())
  for (const [method, path] of [
    ['GET', `/${id}/deliveries/${none}`],
    ['POST', `/${id}/deliveries/${none}/redeliver`],
  ] as const) {
    assert.equal((await send(method, path)).body.code, 'webhook_delivery_not_found')
  }
  const delivery = newUuid()
  await app.database.pool.query(
    `INSERT INTO webhook_deliveries (workspace_id, webhook_id, id, event_id, seq, type, status,
                                     tries, attempts)
     VALUES ($1, $2, $3, $3, 0, 'device.deleted', 'dead', 1, '[]')`,
    [app.seed.uuid, parseId('whk', id), delivery],
  )
  const path = `/${id}/deliveries/${formatId('dlv', delivery)}`
  assert.equal((await send('POST', `${path}/redeliver`)).body.code, 'events_gone')
  assert.equal((await send('GET', path)).body.body, null)
  await send('PATCH', `/${id}`, { status: 'disabled' })
  assert.equal((await send('POST', `${path}/redeliver`)).body.code, 'webhook_disabled')
  const range = await send('POST', `/${id}/redeliver`, { after: '2026-01-01T00:00:00Z' })
  assert.equal(range.body.code, 'webhook_disabled')
})
