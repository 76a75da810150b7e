/** Hours that are old become days, and nothing that is computed from them is another. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Db, unnamed } from '../../../../src/platform/database/connect.ts'
import {
  foldUsage,
  recomputeUsage,
  rollUsage,
} from '../../../../src/features/metering/usage/ledger.ts'
import { usageBetween } from '../../../../src/features/metering/usage/usage-report.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/platform/lib/time.ts'
import type { TestApp } from '../../../support/app.ts'
import { owner, sql } from '../../../support/billing.ts'
import { useTenants } from '../../../support/suite-app.ts'
import { until } from '../../../support/until.ts'

const KEPT_DAYS = 400
/** The first of three days, in one month, that are old enough. */
const FIRST = ((at) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 10))(
  new Date(Date.now() - (KEPT_DAYS + 60) * DAY_MS),
)
const at = (day: number, hour = 0): number => FIRST + day * DAY_MS + hour * HOUR_MS
const text = (ms: number): string => new Date(ms).toISOString()

/** Every hour of so many days, by two processes and three templates, also for the workspace. */
async function use(app: TestApp, days: number): Promise<void> {
  const meters = 'messages, bytes, api_calls, connected_devices'
  await sql(
    app,
    `WITH entries AS (
       INSERT INTO usage_entries
       SELECT $1, $2::timestamptz + make_interval(hours => h), t::uuid, n::uuid, 7, h * 3 + 1, h * h,
              h, (h * 7) % 31
       FROM generate_series(0, $3::int * 24 - 1) AS h,
         unnest(ARRAY['00000000-0000-0000-0000-000000000000', $4,
                      'ffffffff-ffff-ffff-ffff-ffffffffffff']) AS t,
         unnest(ARRAY['11111111-1111-1111-1111-111111111111',
                      '22222222-2222-2222-2222-222222222222']) AS n
       RETURNING *)
     INSERT INTO usage_hours (workspace_id, hour, template_id, ${meters})
     SELECT workspace_id, hour, template_id, sum(messages), sum(bytes), sum(api_calls),
            max(connected_devices)
     FROM entries GROUP BY 1, 2, 3`,
    [app.seed.uuid, text(FIRST), days, app.seed.template.uuid],
  )
}

/** A plan, an end of an invoice and a return of the workspace, each within a day. */
async function addEdges(app: TestApp, begins: number, ends: number, back: number): Promise<void> {
  const { uuid } = app.seed
  await sql(
    app,
    `INSERT INTO subscriptions (workspace_id, currency, drafted_until, billed_from)
     VALUES ($1, 'EUR', '2100-01-01Z', $2)`,
    [uuid, text(back)],
  )
  await sql(
    app,
    `INSERT INTO subscription_terms (workspace_id, starts_at, plan_id, plan, created_by)
     VALUES ($1, $2, 'seeded', '{}', 'seed')`,
    [uuid, text(begins)],
  )
  const content = { lines: [], terms: [{ from: at(0), to: ends }], seller: [], buyer: [] }
  await sql(
    app,
    `INSERT INTO invoices (workspace_id, id, period_start, period_end, currency, content)
     VALUES ($1, gen_random_uuid(), $2, '2100-01-01Z', 'EUR', $3)`,
    [uuid, text(at(0)), JSON.stringify(content)],
  )
}

const hoursOf = ({ database, seed }: TestApp) =>
  database.query(unnamed('SELECT FROM usage_hours WHERE workspace_id = $1'), [seed.uuid])

/** Has the database keep the hours of a workspace, and take too long for many days of one. */
async function makeHard(app: TestApp, broken: TestApp, slow: TestApp): Promise<void> {
  await sql(
    app,
    `CREATE FUNCTION hard_to_roll() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF EXISTS (SELECT FROM gone WHERE workspace_id = '${broken.seed.uuid}') THEN
         RAISE EXCEPTION 'broken';
       END IF;
       IF (SELECT count(DISTINCT hour) FROM gone WHERE workspace_id = '${slow.seed.uuid}') > 168
       THEN RAISE EXCEPTION 'slow' USING ERRCODE = 'query_canceled';
       END IF;
       RETURN NULL;
     END $$`,
  )
  await sql(
    app,
    `CREATE TRIGGER hard_to_roll AFTER DELETE ON usage_hours
     REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION hard_to_roll()`,
  )
}

/** All that is asked of the past: sums of invoices, and reports. */
async function received(app: TestApp, edges: readonly number[]): Promise<unknown[]> {
  const { call, database, seed } = app
  const sums = await Promise.all(
    edges.slice(1).map((to, index) => usageBetween(database, seed.uuid, edges[index] ?? 0, to)),
  )
  const path = `/workspaces/${seed.id}/usage?from=${text(at(0))}&to=${text(at(5))}`
  const reports = ['day', 'month'].flatMap((granularity) =>
    ['', '&by=template'].map((by) => `${path}&granularity=${granularity}${by}`),
  )
  const pages = await Promise.all(reports.map((report) => call('GET', report, owner(app))))
  return [sums, pages.map(({ body }) => body)]
}

describe('hours of usage that are old', () => {
  // The service itself must not come first.
  const start = useTenants({ environment: { MOORING_USAGE_HOUR_DAYS: '36500' } })

  test('become days, except where a price begins or ends within one', async (t) => {
    const app = await start(t)
    const { database } = app
    const [begins, ends, back] = [at(1, 9), at(2, 15), at(3, 4)]
    await use(app, 5)
    await addEdges(app, begins, ends, back)
    const edges = [at(0), at(1), begins, ends, at(3), back, at(4), at(5)]
    const before = await received(app, edges)
    await Promise.all([1, 2, 3].map(() => rollUsage(database, KEPT_DAYS)))
    assert.deepEqual(await received(app, edges), before)
    const days = await sql<{ day: number; hours: number }>(
      app,
      `SELECT date_trunc('day', hour, 'UTC') AS day, count(DISTINCT hour) AS hours FROM usage_hours
       WHERE workspace_id = $1 GROUP BY 1 ORDER BY 1`,
      [app.seed.uuid],
    )
    assert.deepEqual(days, [
      { day: at(1), hours: 24 },
      { day: at(2), hours: 24 },
      { day: at(3), hours: 24 },
    ])
    assert.equal((await recomputeUsage(database)).differing, 0, 'the ledger has the same result')
    await sql(app, 'UPDATE usage_days SET messages = 0 WHERE workspace_id = $1', [app.seed.uuid])
    assert.equal((await recomputeUsage(database)).differing, 2 * 2 * 3)
    assert.deepEqual(await received(app, edges), before)
    const [month] = await sql<{ messages: number; peak: number }>(
      app,
      'SELECT messages, connected_devices AS peak FROM usage_months WHERE workspace_id = $1',
      [app.seed.uuid],
    )
    assert.deepEqual(month, { messages: 6 * (3 * (119 * 60) + 120), peak: 30 })
  })

  for (const isFirst of ['folded', 'made days']) {
    test(`can be folded and made days at once: first they are ${isFirst}`, async (t) => {
      const app = await start(t)
      const { database } = app
      await use(app, 1)
      const isWaiting = async () => {
        const waiting = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                         WHERE NOT l.granted AND a.datname = current_database()`
        return (await sql(app, waiting)).length > 0
      }
      const fold = (db: Db) => foldUsage(db, undefined, 48)
      const roll = (db: Db) => rollUsage(db, KEPT_DAYS)
      const [first, second] = isFirst === 'folded' ? [fold, roll] : [roll, fold]
      let other: Promise<void> | undefined
      await database.transaction(async (trx) => {
        await first(trx)
        other = second(database)
        await until('one waits for the other', isWaiting)
      })
      await other
      const kept = await sql(app, 'SELECT FROM usage_days WHERE workspace_id = $1', [app.seed.uuid])
      assert.equal(kept.length, 3)
      assert.equal((await recomputeUsage(database)).differing, 0)
    })
  }

  test('are kept while they are recent', async (t) => {
    const app = await start(t)
    await use(app, 1)
    await rollUsage(app.database, KEPT_DAYS + 200)
    const hours = 'SELECT FROM usage_hours WHERE workspace_id = $1'
    assert.equal((await sql(app, hours, [app.seed.uuid])).length, 24 * 3)
  })

  test('that cannot become days keep no others, and a month is done in parts if it has to be', async (t) => {
    const broken = await start(t)
    const slow = await start(t)
    const other = await start(t)
    await use(broken, 1)
    await use(slow, 10)
    await use(other, 1)
    await makeHard(other, broken, slow)
    t.after(() => sql(other, 'DROP FUNCTION hard_to_roll CASCADE'))
    await assert.rejects(rollUsage(other.database, KEPT_DAYS), /1 workspace/)
    const left = [await hoursOf(broken), await hoursOf(slow), await hoursOf(other)]
    assert.deepEqual(
      left.map(({ length }) => length),
      [24 * 3, 0, 0],
    )
  })
})
