/** Workspaces with usage in a past month, for tests of invoices. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { unnamed } from '../../src/platform/database/connect.ts'
import { monthOf } from '../../src/platform/lib/billing-time.ts'
import { HOUR_MS } from '../../src/platform/lib/time.ts'
import { as, type StartOptions, type TestApp } from './app.ts'
import { useTenants } from './suite-app.ts'
import { until } from './until.ts'

type Billed = Pick<TestApp, 'call' | 'database' | 'seed'>

export const sql = <Row = Record<string, unknown>>(
  { database }: Pick<TestApp, 'database'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => database.query<Row>(unnamed(text), values)

/** The month before the present one; milliseconds. */
export function lastMonth(): { from: number; to: number } {
  const to = monthOf(Date.now())
  return { from: monthOf(to - 1), to }
}

/** An hour that ends within a test is followed by another one, a month too. */
const LONGEST_TEST_MS = 10_000

/** Like `useTenants`, for tests that ask for the hour: none begins in the last moments of one. */
export function useBilledTenants(options: StartOptions = {}): ReturnType<typeof useTenants> {
  const tenants = useTenants(options)
  return async (t) => {
    const left = HOUR_MS - (Date.now() % HOUR_MS)
    if (left < LONGEST_TEST_MS) await sleep(left)
    return tenants(t)
  }
}

export const owner = ({ seed }: Pick<TestApp, 'seed'>) => ({ as: as.user(seed.owner.token) })

type Prepare = () => Promise<unknown>

export interface Used {
  connected_devices: number
  messages: number
  bytes: number
  api_calls: number
}

/** In one hour of the last month. */
export async function use(app: Billed, used: Partial<Used>, hour = 5): Promise<void> {
  const { connected_devices = 0, messages = 0, bytes = 0, api_calls = 0 } = used
  const at = new Date(lastMonth().from + hour * 3_600_000).toISOString()
  await sql(
    app,
    `INSERT INTO usage_hours (workspace_id, hour, template_id, messages, bytes, api_calls,
                              connected_devices)
     VALUES ($1, $2, '00000000-0000-0000-0000-000000000000', $3, $4, $5, 0),
            ($1, $2, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 0, 0, 0, $6)`,
    [app.seed.uuid, at, messages, bytes, api_calls, connected_devices],
  )
}

interface Subscribing {
  hour?: number
  /** Makes what needs the subscription, and has to be there before as well. */
  prepare?: Prepare
  /** The start of the first month without a draft. */
  draftFrom?: number
}

/**
 * Chooses a plan through the API, and lets it have been chosen in the last month. From then on the
 * service may invoice that month by itself at any moment: its usage and payments have to be there
 * before.
 */
export async function subscribe(
  app: Billed,
  planId: string,
  { hour = 0, prepare = () => Promise.resolve(), draftFrom = lastMonth().from }: Subscribing = {},
): Promise<void> {
  const chosen = await app.call('PUT', `/workspaces/${app.seed.id}/subscription`, {
    ...owner(app),
    body: { plan_id: planId, billing_details: { name: 'Ærø Café ApS', address: 'Gade 1\nÆrø' } },
  })
  assert.equal(chosen.status, 200, chosen.text)
  // The service drafts the present month by itself; it must not be half done with that.
  await until('the present month is drafted', async () => {
    const drafts = await sql(app, 'SELECT FROM invoices WHERE workspace_id = $1', [app.seed.uuid])
    return drafts.length > 0
  })
  await prepare()
  const { from } = lastMonth()
  await sql(
    app,
    `UPDATE subscription_terms SET starts_at = to_timestamp($2::float8 / 1000)
     WHERE workspace_id = $1 AND starts_at = (
       SELECT max(starts_at) FROM subscription_terms WHERE workspace_id = $1)`,
    [app.seed.uuid, from + hour * 3_600_000],
  )
  await sql(
    app,
    `UPDATE subscriptions SET drafted_until = to_timestamp($2::float8 / 1000)
     WHERE workspace_id = $1`,
    [app.seed.uuid, draftFrom],
  )
}

/** The ledger of a workspace: the sum of each account, and of all. */
export async function ledgerOf(app: Billed): Promise<Record<string, number>> {
  const rows = await sql<{ account: string; amount: number }>(
    app,
    `SELECT coalesce(account, 'all') AS account, sum(amount)::bigint AS amount
     FROM ledger_entries WHERE workspace_id = $1 GROUP BY ROLLUP (account)`,
    [app.seed.uuid],
  )
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]))
}
