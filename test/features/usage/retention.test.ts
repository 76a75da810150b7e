/** Hours that are old become days, and nothing that is computed from them is another. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recomputeUsage, rollUsage } from '../../../src/features/usage/ledger.ts'
import { usageBetween } from '../../../src/features/usage/usage-report.ts'
import { HOUR_MS } from '../../../src/lib/billing-time.ts'
import type { TestApp } from '../../support/app.ts'
import { owner, sql } from '../../support/billing.ts'
import { useTenants } from '../../support/suite-app.ts'

const DAY_MS = 24 * HOUR_MS
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

/** A plan that begins within a day, and an invoice that ends within one. */
async function addEdges(app: TestApp, begins: number, ends: number): Promise<void> {
  const { uuid } = app.seed
  await sql(
    app,
    `INSERT INTO subscriptions (workspace_id, currency, drafted_until)
     VALUES ($1, 'EUR', '2100-01-01Z')`,
    [uuid],
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

/** All that is asked of the past: sums of invoices, and reports. */
async function told(app: TestApp, edges: readonly number[]): Promise<unknown[]> {
  const { call, database, seed } = app
  const sums = await Promise.all(
    edges.slice(1).map((to, index) => usageBetween(database, seed.uuid, edges[index] ?? 0, to)),
  )
  const path = `/workspaces/${seed.id}/usage?from=${text(at(0))}&to=${text(at(4))}`
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
    const [begins, ends] = [at(1, 9), at(2, 15)]
    await use(app, 4)
    await addEdges(app, begins, ends)
    const edges = [at(0), at(1), begins, ends, at(3), at(4)]
    const before = await told(app, edges)
    await Promise.all([1, 2, 3].map(() => rollUsage(database, KEPT_DAYS)))
    assert.deepEqual(await told(app, edges), before)
    const days = await sql<{ day: number; hours: number }>(
      app,
      `SELECT date_trunc('day', hour, 'UTC') AS day, count(DISTINCT hour) AS hours FROM usage_hours
       WHERE workspace_id = $1 GROUP BY 1 ORDER BY 1`,
      [app.seed.uuid],
    )
    assert.deepEqual(days, [
      { day: at(1), hours: 24 },
      { day: at(2), hours: 24 },
    ])
    assert.equal((await recomputeUsage(database)).differing, 0, 'the ledger says the same')
    await sql(app, 'UPDATE usage_days SET messages = 0 WHERE workspace_id = $1', [app.seed.uuid])
    assert.equal((await recomputeUsage(database)).differing, 2 * 2 * 3)
    assert.deepEqual(await told(app, edges), before)
    const [month] = await sql<{ messages: number; peak: number }>(
      app,
      'SELECT messages, connected_devices AS peak FROM usage_months WHERE workspace_id = $1',
      [app.seed.uuid],
    )
    assert.deepEqual(month, { messages: 6 * (3 * (95 * 48) + 96), peak: 30 })
  })

  test('stay what they are while they are not so old', async (t) => {
    const app = await start(t)
    await use(app, 1)
    await rollUsage(app.database, KEPT_DAYS + 200)
    const hours = 'SELECT FROM usage_hours WHERE workspace_id = $1'
    assert.equal((await sql(app, hours, [app.seed.uuid])).length, 24 * 3)
  })
})
