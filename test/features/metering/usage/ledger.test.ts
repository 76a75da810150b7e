/** Counts are written once, whatever becomes of the responses, and can be recomputed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '../../../../src/platform/database/connect.ts'
import { foldUsage, recomputeUsage } from '../../../../src/features/metering/usage/ledger.ts'
import { closeOverHours } from '../../../../src/features/metering/usage/store.ts'
import { usageBetween } from '../../../../src/features/metering/usage/usage-report.ts'
import { UsageMeters } from '../../../../src/features/metering/usage/usage-meters.ts'
import { newUuid } from '../../../../src/platform/lib/ids.ts'
import { HOUR_MS } from '../../../../src/platform/lib/time.ts'
import type { TestApp } from '../../../support/app.ts'
import { useBilledTenants } from '../../../support/billing.ts'

/** How a batch fares: it is written, its response is lost, or it never comes to the database. */
type Fate = 'written' | 'answer lost' | 'lost'

const failing = (db: Db, fate: () => Fate): Db => ({
  ...db,
  async query(statement, values) {
    if (statement.name !== 'usage.write') return db.query(statement, values)
    const now = fate()
    if (now === 'lost') throw new Error('lost on the way')
    const rows = await db.query<never>(statement, values)
    if (now === 'answer lost') throw new Error('the answer is lost')
    return rows
  },
})

const metersOf = ({ database, services: { clock } }: TestApp, fate: () => Fate = () => 'written') =>
  new UsageMeters({ db: failing(database, fate), clock, nodeId: newUuid(), limitsOf: undefined })

/** Numbers that look random, and are the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const FAR = Date.now() + 1_000 * HOUR_MS

const totalOf = ({ database, seed }: TestApp) => usageBetween(database, seed.uuid, 0, FAR)

const recomputed = async ({ database }: TestApp): Promise<number> =>
  (await recomputeUsage(database)).differing

describe('the ledger of usage', () => {
  const start = useBilledTenants()

  const counted = async (app: TestApp): Promise<number[]> => {
    const { messages, bytes, api_calls } = await totalOf(app)
    return [messages, bytes, api_calls]
  }

  /** Counts and flushes at random. @returns what was counted. */
  async function play(app: TestApp, history: number): Promise<number[]> {
    const { seed } = app
    const random = randomOf(history)
    const fates: Fate[] = ['written', 'written', 'answer lost', 'lost']
    const nodes = [1, 2, 3].map(() => metersOf(app, () => fates[random(fates.length)] ?? 'written'))
    const model = [0, 0, 0] as [number, number, number]
    for (let step = 0; step < 60; step += 1) {
      const usage = nodes[random(nodes.length)] as UsageMeters
      const templateId = random(2) === 0 ? null : seed.template.uuid
      const meter = usage.meterOf({ workspaceId: seed.uuid, templateId })
      const bytes = random(1_000)
      meter.messages += 1
      meter.bytes += bytes
      model[0] += 1
      model[1] += bytes
      if (random(3) === 0) {
        usage.countCall(seed.uuid, true)
        model[2] += 1
      }
      if (random(5) === 0) await usage.flush().catch(() => {})
    }
    // Each continues trying until its last word is good.
    for (const usage of nodes) {
      let isValid = false
      while (!isValid) {
        isValid = await usage.flush().then(
          () => true,
          () => false,
        )
      }
    }
    return model
  }

  test('random histories with failing batches sum to the counted amount', async (t) => {
    const app = await start(t)
    const { seed, database } = app
    let before = await counted(app)
    for (let history = 1; history <= 6; history += 1) {
      const played = await play(app, history)
      const expected = before.map((count, at) => count + (played[at] ?? 0))
      before = await counted(app)
      assert.deepEqual(before, expected, `history ${history}`)
      assert.equal(await recomputed(app), 0)
    }
    const whole = await totalOf(app)
    await foldUsage(database, undefined, -1)
    const { rows } = await database.pool.query(
      'SELECT count(*)::int AS entries FROM usage_entries WHERE workspace_id = $1',
      [seed.uuid],
    )
    assert.ok(rows[0].entries <= 4, 'there is one entry for each hour and template')
    assert.equal(await recomputed(app), 0, 'folded entries give the same result')
    assert.deepEqual(await totalOf(app), whole)
  })

  test('a hundred thousand increments alongside each other and alongside flushes are all there', async (t) => {
    const app = await start(t)
    const usage = metersOf(app)
    const turn = async (at: number): Promise<void> => {
      for (let n = 0; n < 1_000; n += 1) {
        usage.countCall(app.seed.uuid, true)
        if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      if (at % 5 === 0) await usage.flush()
    }
    await Promise.all(Array.from({ length: 100 }, (_, at) => turn(at)))
    await usage.flush()
    assert.equal((await totalOf(app)).api_calls, 100_000)
    assert.equal(usage.totals().apiCalls, 100_000)
  })

  test('manipulated sums are found and recomputed', async (t) => {
    const app = await start(t)
    const usage = metersOf(app)
    usage.countCall(app.seed.uuid, true)
    await usage.flush()
    const where = 'WHERE workspace_id = $1'
    const ask = (sql: string) => app.database.pool.query(`${sql} ${where}`, [app.seed.uuid])
    await ask('UPDATE usage_hours SET api_calls = 7')
    await ask('UPDATE usage_months SET api_calls = 7')
    assert.notEqual(await recomputed(app), 0)
    assert.equal((await totalOf(app)).api_calls, 1)
    const { rows } = await ask('SELECT api_calls::int FROM usage_months')
    assert.deepEqual(rows, [{ api_calls: 1 }])
  })

  test('a peak is the greatest of its hour, and of a workspace it is no sum', async (t) => {
    const app = await start(t)
    const { uuid, template } = app.seed
    const usage = metersOf(app)
    const whole = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    const note = async (ofTemplate: number, ofWhole: number): Promise<void> => {
      usage.noteSample([
        { workspace_id: uuid, template_id: template.uuid, devices: ofTemplate },
        { workspace_id: uuid, template_id: whole, devices: ofWhole },
      ])
      await usage.flush()
    }
    await note(3, 5)
    await note(7, 8)
    await note(2, 9)
    assert.equal((await totalOf(app)).connected_devices, 9)
    const { rows } = await app.database.pool.query(
      `SELECT connected_devices::int AS peak FROM usage_hours
       WHERE workspace_id = $1 ORDER BY template_id`,
      [uuid],
    )
    assert.deepEqual(rows, [{ peak: 7 }, { peak: 9 }])
  })

  test('a peak that stays is in the next hour too, though the clock of a process is ahead', async (t) => {
    const app = await start(t)
    const { database, seed } = app
    let now = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS - 1_000
    const clock = { ...app.services.clock, now: () => now }
    const usage = new UsageMeters({ db: database, clock, nodeId: newUuid(), limitsOf: undefined })
    const { devices } = usage.ofWorkspace(seed.uuid)
    devices.change(1)
    await usage.flush()
    // It takes the hour for over; for the database it still continues.
    now += 2_000
    await usage.flush()
    const remove = 'DELETE FROM usage_hours WHERE workspace_id = $1'
    await database.pool.query(remove, [seed.uuid])
    now += 5 * 60_000
    await usage.flush()
    const find = 'SELECT connected_devices::int AS peak FROM usage_hours WHERE workspace_id = $1'
    const { rows } = await database.pool.query(find, [seed.uuid])
    assert.deepEqual(rows, [{ peak: 1 }])
  })

  test('usage written after the end of an hour counts in the next one', async (t) => {
    const app = await start(t)
    const { database, seed } = app
    const usage = metersOf(app)
    usage.countCall(seed.uuid, true)
    await usage.flush()
    const { rows } = await database.pool.query(
      `SELECT hour, closed_until AS closed FROM usage_hours, usage_horizon
       WHERE workspace_id = $1`,
      [seed.uuid],
    )
    const hour = (rows[0] as { hour: number }).hour
    const closedTotal = () => usageBetween(database, seed.uuid, hour, hour + HOUR_MS)
    await closedTotal()
    await closeOverHours.run(database, { seconds: 0 })
    const present = await database.pool.query('SELECT closed_until AS at FROM usage_horizon')
    assert.ok(
      (present.rows[0] as { at: number }).at <= Date.now(),
      'a current period is not closed',
    )
    t.after(() =>
      database.pool.query('UPDATE usage_horizon SET closed_until = $1', [
        new Date((rows[0] as { closed: number }).closed),
      ]),
    )
    // As if the hour were over.
    await database.pool.query(`UPDATE usage_horizon SET closed_until = to_timestamp($1 / 1000.0)`, [
      hour + HOUR_MS,
    ])
    usage.countCall(seed.uuid, true)
    await usage.flush()
    assert.equal((await closedTotal()).api_calls, 1)
    const next = await usageBetween(database, seed.uuid, hour + HOUR_MS, hour + 2 * HOUR_MS)
    assert.equal(next.api_calls, 1)
    assert.equal(await recomputed(app), 0)
  })
})
