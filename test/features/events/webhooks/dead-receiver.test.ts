/**
 * A receiver that is dead for long, and then back: everything comes, in its order, and hardly
 * anything twice. MOORING_TEST_EVENTS says how much; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, type TestApp } from '../../../support/app.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'
import {
  assertNoReplay,
  assertSigned,
  assertWhole,
  makeWebhook,
  subjectsOf,
  writeEvents,
} from './event-delivery.ts'
import { type Got, type Receiver, startReceiver } from './receivers.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

const EVERY_MS = 100

/** @returns what ends the watch, and says how many milliseconds a small commit took at most */
function watchPauses(pool: pg.Pool): () => Promise<number> {
  const over = new AbortController()
  let longest = 0
  const watch = async (): Promise<number> => {
    while (!over.signal.aborted) {
      const begun = performance.now()
      await pool.query(`SELECT pg_logical_emit_message(true, 'test', 'pause')`)
      await sleep(EVERY_MS)
      longest = Math.max(longest, performance.now() - begun - EVERY_MS)
    }
    return longest
  }
  const watching = watch()
  // Anyone who ends it hears of it.
  watching.catch(() => {})
  return () => {
    over.abort()
    return watching
  }
}

const EVENTS = Number(process.env.MOORING_TEST_EVENTS ?? 2_000)
const BATCH = Math.ceil(EVENTS / 10)
/** The events of the receiver that works. */
const OTHERS = BATCH
const TIMEOUT_MS = 180_000 + EVENTS * 10

const freshTenants = useTenants({
  environment: {
    MOORING_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    MOORING_WEBHOOK_RETRY_S: '0.2,0.2,0.5,1,5,36000',
    MOORING_WEBHOOK_TIMEOUT_S: '30',
  },
})

async function hasWaiting({ database, seed }: TestApp): Promise<boolean> {
  const { rows } = await database.pool.query(
    `SELECT FROM webhook_deliveries WHERE workspace_id = $1 AND status <> 'delivered' LIMIT 1`,
    [seed.uuid],
  )
  return rows.length > 0
}

/** A busy machine may receive the responses to simultaneous requests too late. */
const IN_FLIGHT = 20

const hasAll = (receiver: Receiver, count: number): Promise<boolean> =>
  until(`${count} events`, () => receiver.ids.size >= count, TIMEOUT_MS)

test(`${EVENTS} events come once and in order when their receiver is back`, {
  timeout: TIMEOUT_MS * 2,
}, async (t) => {
  const app = await freshTenants(t)
  const { pool } = app.database
  const { id: workspace, uuid, platformKey } = app.seed
  const [dead, well] = [await startReceiver(t), await startReceiver(t)]
  const { secret } = await makeWebhook(app, dead.url, ['device.updated'])
  const other = await makeWebhook(app, well.url, ['claim.*'])
  const subjects = subjectsOf(Math.max(50, EVENTS / 100))
  const write = (from: number, to: number, type?: string) =>
    writeEvents(pool, uuid, [from, to], subjects, type)
  const endWatch = watchPauses(pool)
  // A part is in flight when it dies, the rest comes while it is dead.
  await write(0, BATCH - 1)
  await until('it works', () => dead.got.length > BATCH / 10)
  await dead.die()
  for (let from = BATCH; from < EVENTS; from += BATCH) {
    await write(from, Math.min(from + BATCH, EVENTS) - 1)
  }
  await write(0, OTHERS / 2 - 1, 'claim.created')
  await hasAll(well, OTHERS / 2)
  const rotated = await app.call(
    'POST',
    `/workspaces/${workspace}/webhooks/${other.id}/rotate-secret`,
    { as: as.platformKey(platformKey), body: { overlap_s: 86_400 } },
  )
  assert.equal(rotated.status, 200, rotated.text)
  await write(OTHERS / 2, OTHERS - 1, 'claim.created')
  await hasAll(well, OTHERS)
  assert.ok(dead.ids.size < EVENTS)
  await dead.rise()
  await hasAll(dead, EVENTS)
  // A duplicate would come within the pauses between tries.
  await until('nothing waits', async () => !(await hasWaiting(app)))
  assertWhole(dead.got, EVENTS)
  assertWhole(well.got, OTHERS)
  assertSigned(dead.got, secret)
  // The old secret alone verifies everything; the new one verifies what came since.
  assertSigned(well.got, other.secret)
  assertSigned(
    well.got.filter(({ signature }) => signature.includes(' ')),
    rotated.body.secret,
  )
  const last = well.got.at(-1) as Got
  assert.equal(last.signature.split(' ').length, 2)
  assertNoReplay(last, other.secret)
  const [pause, all] = [await endWatch(), dead.got.length + well.got.length]
  // A lease that can't be renewed for nine seconds is lost, and what was not written comes again.
  const max = pause > 3_000 ? Infinity : (EVENTS + OTHERS) * 1.01 + 2 * IN_FLIGHT
  assert.ok(all <= max, `${all} deliveries of ${EVENTS + OTHERS} events`)
})
