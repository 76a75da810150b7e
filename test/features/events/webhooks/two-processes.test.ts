/** Two processes send for the same webhooks: between them everything comes once, in order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import { assertWhole, makeWebhook, subjectsOf, writeEvents } from './event-delivery.ts'
import { startReceiver } from './receivers.ts'

const RECEIVERS = 6
const PART = 100

const freshTenants = useTenants({
  environment: { MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
})

test('two processes share the deliveries without duplicates, and one continues when the other stops', async (t) => {
  const app = await freshTenants(t)
  const sibling = await app.sibling()
  const receivers = await Promise.all(
    Array.from({ length: RECEIVERS }, async () => {
      const receiver = await startReceiver(t)
      receiver.delayMs = 2
      await makeWebhook(app, receiver.url)
      return receiver
    }),
  )
  const subjects = subjectsOf(10)
  const write = (part: number) =>
    writeEvents(app.database.pool, app.seed.uuid, [part * PART, (part + 1) * PART - 1], subjects)
  const come = (count: number) =>
    until(`${count} events`, () => receivers.every(({ ids }) => ids.size >= count))
  await write(0)
  await come(PART)
  const holders = async () => {
    const { rows } = await app.database.pool.query<{ holder: string }>(
      `SELECT DISTINCT holder FROM webhook_cursors
       WHERE workspace_id = $1 AND lease_until > now()`,
      [app.seed.uuid],
    )
    return rows.map(({ holder }) => holder)
  }
  await write(1)
  await come(PART + PART / 4)
  // Anyone who holds them when the other one stops has the requests in flight end first.
  await sibling.close()
  await write(2)
  await come(3 * PART)
  assert.deepEqual(await holders(), [app.services.nodeId])
  for (const { got } of receivers) {
    assertWhole(got, 3 * PART)
    assert.equal(got.length, 3 * PART)
  }
})
