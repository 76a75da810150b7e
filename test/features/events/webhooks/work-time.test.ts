/** How long a process works on one webhook: not for ever, and not when it is to stop. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeliveryEngine } from '../../../../src/features/events/webhooks/delivery-engine.ts'
import { startApp } from '../../../support/app.ts'
import { until } from '../../../support/until.ts'
import {
  newDevices,
  publish,
  startReceiver,
  toReceivers,
} from '../../../support/webhook-receiver.ts'
import { makeWebhook, writeEvents } from './event-delivery.ts'

test('a busy webhook yields to the others', async (t) => {
  const app = await startApp(t, { environment: toReceivers })
  const busy = await startReceiver(t, () => 204)
  const other = await startReceiver(t, () => 204)
  const { safeSequence } = app.services
  const advance = safeSequence.advance.bind(safeSequence)
  // The service itself sees no events from now on: all of them are for an engine with few turns.
  t.mock.method(safeSequence, 'advance', () => Promise.resolve(0))
  await makeWebhook(app, busy.url, ['device.updated'])
  await makeWebhook(app, other.url, ['device.registered'])
  const services = {
    ...app.services,
    safeSequence: Object.assign(Object.create(safeSequence), { advance }),
    db: app.database,
    isShared: true,
    pauses: [1],
    timeoutMs: 5_000,
    warn: () => {},
    turns: { max: 1, ms: 300 },
  }
  const engine = new DeliveryEngine(services)
  const [device = ''] = newDevices(1)
  let n = 0
  const publishOn = setInterval(() => void publish(app, [{ device, n: (n += 1) }]), 40)
  const poll = setInterval(() => void engine.poll(), 100)
  const end = async (): Promise<void> => {
    clearInterval(publishOn)
    clearInterval(poll)
    await engine.stop()
  }
  try {
    await until('the busy one is worked on', () => busy.got.length > 20)
    await writeEvents(app.database.pool, app.seed.uuid, [0, 0], [device], 'device.registered')
    await until('the other one has its turn', () => other.got.length === 1)
    const was = busy.got.length
    await until('the busy one has its turn again', () => busy.got.length > was + 10)
  } finally {
    // Before the service, whose database it uses.
    await end()
  }
  const ids = busy.got.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length, 'no event is delivered twice')
})

test('a stopping process does not keep polling for events', async (t) => {
  const app = await startApp(t, { environment: toReceivers })
  const { url, got } = await startReceiver(t, () => 204)
  await makeWebhook(app, url)
  const [device = ''] = newDevices(1)
  await publish(app, [{ device, n: 0 }])
  await until('it has come', () => got.length === 1)
  const { eventWatch } = app.services
  const next = eventWatch.next.bind(eventWatch)
  let waits = 0
  t.mock.method(eventWatch, 'next', (...given: Parameters<typeof next>) => {
    waits += 1
    return next(...given)
  })
  eventWatch.end()
  await sleep(600)
  assert.ok(waits < 10, `the run waited ${waits} times`)
})
