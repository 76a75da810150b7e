/** Responses of receivers and changes by owners count: how long to wait, no more, not any more. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import { readBacklog } from '../../../../src/features/events/webhooks/delivery-store.ts'
import { formatId, parseId } from '../../../../src/platform/lib/ids.ts'
import { as, type TestApp } from '../../../support/app.ts'
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

const freshTenants = useTenants({ environment: toReceivers })

const one = { device: newDevices(1)[0] ?? '', n: 0 }

const read = async (app: TestApp, sql: string, webhookId: string) =>
  (await app.database.pool.query(sql, [parseId('whk', webhookId)])).rows[0]

const backlogOf = ({ services }: TestApp) => readBacklog.one(services.autonomousDb, { seq: 0 })

test('a receiver that sends Retry-After gets no request until then, and is reported as failing', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const { url, got } = await startReceiver(t, (_last, all) =>
    all.length === 1 ? { status: 503, headers: { 'retry-after': '7200' } } : 200,
  )
  const { id, failing_since, created_at } = await make({ url, types: ['device.*'] })
  assert.equal(failing_since, null)
  await publish(app, [one])
  const find = `SELECT probe_at > now() + interval '119 minutes' AS is_late FROM webhook_cursors
                WHERE webhook_id = $1 AND holder IS NULL AND probe_at IS NOT NULL`
  const { is_late } = await until('it is left alone', () => read(app, find, id))
  assert.equal(is_late, true)
  const { body } = await send('GET', `/${id}`)
  assert.ok(body.failing_since >= created_at, body.failing_since)
  const pauseMs = Date.parse(body.next_probe_at) - Date.parse(body.failing_since)
  assert.ok(pauseMs >= 7_200_000, body.next_probe_at)
  assert.deepEqual((await send('GET')).body.items, [body])
  const { failing, failing_s, failing_in } = await backlogOf(app)
  assert.ok(failing > 0 && failing_s > 0, `${failing} failing for ${failing_s} s`)
  assert.ok(failing_in.length > 0)
  const due = `SELECT next_try_at > now() + interval '119 minutes' AS is_late
               FROM webhook_deliveries WHERE webhook_id = $1`
  assert.equal((await read(app, due, id)).is_late, true)
  await publish(app, eventsOf(newDevices(3), 1))
  // Two hours later.
  await read(app, 'UPDATE webhook_deliveries SET next_try_at = now() WHERE webhook_id = $1', id)
  await read(app, 'UPDATE webhook_cursors SET probe_at = now() WHERE webhook_id = $1', id)
  await until('all have come', () => got.length === 5)
  await until(
    'the webhook is no longer paused',
    async () => (await send('GET', `/${id}`)).body.failing_since === null,
  )
  assert.equal((await send('GET', `/${id}`)).body.next_probe_at, null)
})

test('410 disables a webhook once, with an event, an audit entry and mail to owners', async (t) => {
  const app = await freshTenants(t)
  const { call, seed } = app
  const { send, make } = webhooksOf(app)
  const { url } = await startReceiver(t, () => 410)
  const { id } = await make({ url, types: ['device.*'] })
  const owners = await startReceiver(t, () => 200)
  await make({ url: owners.url, types: ['webhook.disabled'] })
  await publish(app, eventsOf(newDevices(5), 2))
  await until(
    'it is disabled',
    async () => (await send('GET', `/${id}`)).body.status === 'disabled',
  )
  assert.equal((await send('GET', `/${id}`)).body.disabled_reason, 'receiver_gone')
  await until('another webhook receives the event', () => owners.got.length > 0)
  const { data } = JSON.parse(owners.got[0]?.body ?? '')
  assert.deepEqual(data, { webhook_id: id, url, reason: 'receiver_gone' })
  const audit = await call('GET', `/workspaces/${seed.id}/audit-log?action=webhook.disabled`, {
    as: as.user(seed.owner.token),
  })
  assert.equal(audit.body.items.length, 1, audit.text)
  const { rows } = await app.database.pool.query(
    'SELECT recipient FROM mail_outbox WHERE workspace_id = $1',
    [seed.uuid],
  )
  assert.equal(rows.length, 1)
  const { items } = (await send('GET', `/${id}/deliveries?status=waiting`)).body
  assert.ok(items.length > 0, 'undelivered events are kept')
})

test('a re-enabled webhook continues where it stopped, also after days of failures', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  let isBack = false
  const { url, got } = await startReceiver(t, () => (isBack ? 200 : 500))
  const { id } = await make({ url, types: ['device.*'] })
  const failing = `UPDATE webhook_cursors SET failures = 30, probe_at = now(),
                     failing_since = now() - interval '4 days'
                   WHERE webhook_id = $1 AND holder IS NULL RETURNING 1`
  // In one statement: anyone who takes it in between would write down that it is well.
  await until('it has failed for days', () => read(app, failing, id))
  const devices = newDevices(4)
  await publish(app, eventsOf(devices, 3))
  await until('it is disabled', async () => {
    const { status, disabled_reason: why } = (await send('GET', `/${id}`)).body
    return status === 'disabled' && why === 'receiver_failing'
  })
  isBack = true
  const before = got.length
  const enabled = await send('PATCH', `/${id}`, { status: 'enabled' })
  assert.equal(enabled.body.failing_since, null)
  assert.equal(enabled.body.next_probe_at, null)
  await until('all have come', () => got.length === before + 12)
  for (const numbers of numbersByDevice(got.slice(before)).values()) {
    assert.deepEqual(numbers, [0, 1, 2])
  }
})

test('a late response of the old URL does not count against the new one', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const { promise: isMoved, resolve: move } = Promise.withResolvers<void>()
  let isAsked = false
  const before = createServer((request, response) => {
    request.resume()
    isAsked = true
    void isMoved.then(() => response.writeHead(503, { 'retry-after': '80000' }).end())
  })
  before.listen(0, '127.0.0.1')
  await once(before, 'listening')
  t.after(() => {
    before.close()
    before.closeAllConnections()
  })
  const { port } = before.address() as AddressInfo
  const { id } = await make({ url: `http://127.0.0.1:${port}/`, types: ['device.*'] })
  await publish(app, [one])
  await until('the first receiver is asked', () => isAsked)
  const next = await startReceiver(t, () => 204)
  assert.equal((await send('PATCH', `/${id}`, { url: next.url })).status, 200)
  move()
  await until('the next receiver has it', () => next.got.length === 1)
})

test('a webhook receives only its types, and nothing after its deletion', async (t) => {
  const app = await freshTenants(t)
  const { send, make } = webhooksOf(app)
  const all = await startReceiver(t, () => 200)
  const some = await startReceiver(t, () => 200)
  await make({ url: all.url })
  const { id } = await make({ url: some.url, types: ['device.updated', 'webhook.deleted'] })
  await publish(app, [one])
  await send('PATCH', `/${id}`, { description: 'x' })
  await until('both have heard', () => some.got.length === 1 && all.got.length === 4)
  assert.deepEqual(
    all.got.map(({ type }) => type).sort((a, b) => a.localeCompare(b)),
    ['device.updated', 'webhook.created', 'webhook.created', 'webhook.updated'],
  )
  assert.equal((await send('DELETE', `/${id}`)).status, 204)
  await publish(app, [one])
  await until('the other one hears', () => all.got.length === 6)
  assert.deepEqual(
    some.got.map(({ type }) => type),
    ['device.updated'],
  )
})

test('no events of a suspended workspace are sent until it is active again', async (t) => {
  const app = await freshTenants(t)
  const other = await freshTenants(t)
  const [held, sent] = [await startReceiver(t, () => 200), await startReceiver(t, () => 200)]
  await webhooksOf(app).make({ url: held.url, types: ['device.*'] })
  await webhooksOf(other).make({ url: sent.url, types: ['device.*'] })
  const turn = async (status: string): Promise<void> => {
    await app.database.transaction(async (trx) => {
      const change = unnamed('UPDATE workspaces SET status = $2 WHERE id = $1')
      await trx.query(change, [app.seed.uuid, status])
      await app.services.feed.announce(trx, 'workspace', app.seed.uuid)
    })
  }
  await turn('suspended')
  const held_by = `SELECT FROM webhook_cursors WHERE workspace_id = $1 AND holder IS NOT NULL`
  await until('nobody holds it', async () => {
    return (await app.database.pool.query(held_by, [app.seed.uuid])).rowCount === 0
  })
  await publish(app, [one])
  await publish(other, [one])
  await until('the other one has heard', () => sent.got.length === 1)
  assert.equal(held.got.length, 0)
  await turn('active')
  await until('the change is delivered', () => held.got.length === 1)
})

test('two processes share the webhooks, and a stopping one releases its leases', async (t) => {
  const app = await freshTenants(t)
  const { make } = webhooksOf(app)
  const two = await app.sibling()
  const receivers: Awaited<ReturnType<typeof startReceiver>>[] = []
  for (let n = 0; n < 12; n += 1) {
    const receiver = await startReceiver(t, () => 200)
    receivers.push(receiver)
    await make({ url: receiver.url, types: ['device.*'] })
  }
  const [more = '', ...devices] = newDevices(11)
  await publish(app, eventsOf(devices, 20))
  const held = 'SELECT FROM webhook_cursors WHERE holder = $1'
  await until('both take part', async () => {
    const of = await Promise.all(
      [app, two].map(({ services }) => app.database.pool.query(held, [services.nodeId])),
    )
    // Earlier deliveries may be finished by the time that the other one looks for them; continuous
    // ones would never be released.
    if (of.every(({ rowCount }) => rowCount === 0)) await publish(app, [{ device: more, n: 0 }])
    return of.every(({ rowCount }) => rowCount !== 0)
  })
  await two.close()
  const names = devices.map((device) => formatId('dev', device))
  const hasAll = ({ got }: Pick<(typeof receivers)[number], 'got'>): boolean => {
    const numbers = numbersByDevice(got)
    return names.every((name) => (numbers.get(name)?.length ?? 0) >= 20)
  }
  await until('all have come', () => receivers.every(hasAll))
  for (const { got } of receivers) {
    assert.equal(new Set(got.map(({ id }) => id)).size, got.length, 'no event is delivered twice')
    for (const name of names) {
      assert.deepEqual(numbersByDevice(got).get(name), [...Array(20).keys()])
    }
  }
})
