/**
 * Workspaces whose last month is to be invoiced, written straight into the database of a service
 * that runs as a process of its own, and the figures of what became of them.
 */
import pg from 'pg'
import { findEmbeddedPostgres } from '../../src/platform/database/embedded.ts'
import { examplePlans } from './plans.ts'

/** The plan costs 9.00 and 19 % tax, and each has used messages for 2.00. */
export const TOTAL = 1_309
export const PREPAID = 1_000

export type Query = <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>

/** Runs SQL in the database of a running service. */
export async function withDatabase<T>(
  dataDir: string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(await findEmbeddedPostgres(dataDir))
  // Its server may be killed meanwhile; the statement fails as well.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(async (sql, values) => (await client.query(sql, values)).rows as never)
  } finally {
    await client.end()
  }
}

/** Workspaces that have used something in the last month; every second one has paid in advance. */
export async function addWorkspaces(query: Query, round: number, count: number): Promise<void> {
  const plan = JSON.stringify(examplePlans().plans[1])
  await query(
    `WITH made AS (
       INSERT INTO workspaces (id, name, slug)
       SELECT gen_random_uuid(), 'W', 'w-' || $1 || '-' || n FROM generate_series(1, ${count}) AS n
       RETURNING id
     ), month AS (SELECT date_trunc('month', now(), 'UTC') - interval '1 month' AS at
     ), subscription AS (
       INSERT INTO subscriptions (workspace_id, currency, drafted_until)
       SELECT id, 'EUR', month.at FROM made, month RETURNING workspace_id, drafted_until
     ), term AS (
       INSERT INTO subscription_terms (workspace_id, starts_at, plan_id, plan, created_by)
       SELECT workspace_id, drafted_until, 'pay-as-you-go', $2, 'test' FROM subscription
     )
     INSERT INTO usage_hours
     SELECT made.id, month.at + interval '3 hours', '00000000-0000-0000-0000-000000000000',
            1200000, 0, 0, 0 FROM made, month`,
    [String(round), plan],
  )
  await query(
    `WITH t AS (
       INSERT INTO ledger_transactions (workspace_id, id, key, currency, entries)
       SELECT id, gen_random_uuid(), 'credit:test', 'EUR', 2 FROM workspaces
       WHERE slug LIKE 'w-' || $1 || '-%' AND right(slug, 1) IN ('0', '2', '4', '6', '8')
       RETURNING workspace_id, id)
     INSERT INTO ledger_entries (workspace_id, transaction_id, position, account, currency, amount)
     SELECT t.workspace_id, t.id, e.position, e.account, 'EUR', e.amount FROM t,
       (VALUES (1, 'payments', ${PREPAID}), (2, 'balance', -${PREPAID}))
         AS e (position, account, amount)`,
    [String(round)],
  )
}

/** Has it run now: by itself it comes once a minute. */
export const makeInvoices = (query: Query) =>
  query(`SELECT graphile_worker.add_job('invoices.make', '{}', run_at => now(),
    queue_name => 'every:invoices.make', job_key => 'every:invoices.make')`)

/** The workspace `acme` has used 1,200,000 messages in the last month. */
export const useOfAcme = `INSERT INTO usage_hours
  SELECT id, date_trunc('month', now(), 'UTC') - interval '1 month' + interval '3 hours',
    '00000000-0000-0000-0000-000000000000', 1200000, 0, 0, 0
  FROM workspaces WHERE slug = 'acme'`

/** It has had the plan for the last month. */
export const planOfAcme = `WITH month AS (
    SELECT date_trunc('month', now(), 'UTC') - interval '1 month' AS at),
  ws AS (SELECT id FROM workspaces WHERE slug = 'acme'),
  subscription AS (
    INSERT INTO subscriptions (workspace_id, currency, drafted_until)
    SELECT ws.id, 'EUR', month.at FROM ws, month
    ON CONFLICT (workspace_id) DO UPDATE
    SET currency = 'EUR', drafted_until = excluded.drafted_until
    RETURNING workspace_id, drafted_until),
  gone AS (DELETE FROM subscription_terms WHERE workspace_id = (SELECT id FROM ws) RETURNING 1)
  INSERT INTO subscription_terms (workspace_id, starts_at, plan_id, plan, created_by)
  SELECT workspace_id, drafted_until, 'pay-as-you-go', $1, 'test' FROM subscription`
