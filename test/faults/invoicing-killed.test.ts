/**
 * kill -9 while invoices are made, again and again: every month is invoiced once, none is missing,
 * and no number is. Afterwards the operator computes all of them again, and ends some.
 * MOORING_TEST_KILLS says how often; CI asks for more than a quick run does.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../src/database/embedded.ts'
import { examplePlans, plansFile } from '../support/plans.ts'
import { preparedDataDir, runMooring, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 1)
/** Workspaces that are to be invoiced in each round. */
const EACH = 12
/** The plan costs 9.00 and 19 % tax, and each has used messages for 2.00. */
const TOTAL = 1_309
const PREPAID = 1_000

type Query = <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>

async function withDatabase<T>(dataDir: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client(await findEmbeddedPostgres(dataDir))
  await client.connect()
  try {
    return await work(async (sql, values) => (await client.query(sql, values)).rows as never)
  } finally {
    await client.end()
  }
}

/** A pause between the ledger and what is told of it, so that kills come just there. */
const slowDown = (query: Query) =>
  query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           PERFORM pg_sleep(0.1); RETURN NULL; END $$;
         CREATE TRIGGER slow AFTER INSERT ON ledger_entries
           FOR EACH STATEMENT EXECUTE FUNCTION slow()`)

/** Workspaces that have used something in the last month; every second one has paid in advance. */
async function addWorkspaces(query: Query, round: number): Promise<void> {
  const plan = JSON.stringify(examplePlans().plans[1])
  await query(
    `WITH made AS (
       INSERT INTO workspaces (id, name, slug)
       SELECT gen_random_uuid(), 'W', 'w-' || $1 || '-' || n FROM generate_series(1, ${EACH}) AS n
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
const makeInvoices = (query: Query) =>
  query(`SELECT graphile_worker.add_job('invoices.make', '{}', run_at => now(),
    queue_name => 'every:invoices.make', job_key => 'every:invoices.make')`)

const isMaking = async (query: Query): Promise<boolean> => {
  const rows = await query(
    "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
  )
  return rows.length > 0
}

/** One row of figures that say it all. */
const figures = `
  WITH issued AS (SELECT * FROM invoices WHERE status <> 'draft'),
  sums AS (SELECT account, sum(amount)::int AS amount FROM ledger_entries GROUP BY account)
  SELECT (SELECT count(*)::int FROM issued) AS issued,
    (SELECT count(DISTINCT workspace_id)::int FROM issued) AS workspaces,
    (SELECT max(number)::int FROM issued) AS highest,
    (SELECT last::int FROM invoice_numbers) AS counted,
    (SELECT count(*)::int FROM issued WHERE total <> ${TOTAL}) AS wrong,
    (SELECT sum(amount)::int FROM sums) AS zero,
    (SELECT amount FROM sums WHERE account = 'receivable') AS receivable,
    coalesce((SELECT amount FROM sums WHERE account = 'balance'), 0) AS balance,
    (SELECT count(*)::int FROM events WHERE type = 'invoice.finalized') AS told,
    (SELECT count(DISTINCT resource_id)::int FROM audit_log
     WHERE action = 'invoice.finalized') AS audited`

async function checkSaved(dataDir: string): Promise<void> {
  const { number } = JSON.parse(await readFile(join(dataDir, 'one.json'), 'utf8'))
  assert.equal(number, 'INV-000001')
  assert.match(await readFile(join(dataDir, 'two.pdf'), 'latin1'), /^%PDF-/)
}

/** The one that is paid is not among them. */
function checkListed(stdout: string, all: number): void {
  const listed = stdout.trim().split('\n')
  assert.equal(listed.length, all - 1)
  assert.match(listed[0] ?? '', /^INV-000002\tw-\d+-\d+\topen, due \d{4}-\d\d-\d\d\tEUR \d+\.\d\d$/)
}

/** Commands of the operator, with their exit codes and what they say. */
function outcomesIn(dataDir: string, all: number) {
  return [
    ['verify', 0, new RegExp(`^Computed again, ${all} invoices are what was issued`)],
    ['mark-paid 1 --reference bank-1', 0, /is paid/],
    [`save 1 ${join(dataDir, 'one.json')}`, 0, /is in .*one\.json/],
    [
      `save 1 ${join(dataDir, 'one.json')}`,
      1,
      /one\.json is there already, and is not overwritten: name/,
    ],
    [`save 1 ${join(dataDir, 'no', 'one.json')}`, 1, /can not be written: there is no /],
    [`save 2 ${join(dataDir, 'two.pdf')}`, 0, /is in .*two\.pdf/],
    ['void INV-000001', 1, /An invoice that is paid can not become void/],
    ['credit w-1-1 12.5 --reference cash-1', 0, /has EUR 12\.50 more/],
    ['credit w-1-1 12.505 --reference cash-2', 1, /12\.505 is no amount of EUR/],
    ['subscribe w-1-1 acme-2026 --tax-rate 0', 0, /has the plan acme-2026/],
  ] as const
}

test(`invoices of ${KILLS} kills are made once, and verified by the operator`, {
  timeout: 300_000 + KILLS * 30_000,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_PLANS_FILE: plansFile(), MOORING_TAX_RATE_BP: '1900' }
  let service = await startService(t, dataDir, { environment })
  await withDatabase(dataDir, slowDown)
  for (let round = 1; round <= KILLS; round += 1) {
    await withDatabase(dataDir, async (query) => {
      await addWorkspaces(query, round)
      await makeInvoices(query)
      await until('invoices are made', () => isMaking(query))
      // Now just between the ledger and the rest, now anywhere.
      if (round % 2 === 0) await sleep(Math.random() * 1_000)
    })
    await service.stop('SIGKILL')
    service = await startService(t, dataDir, { environment })
  }
  const all = KILLS * EACH
  const found = await withDatabase(dataDir, async (query) => {
    await makeInvoices(query)
    const left = `SELECT FROM invoices WHERE status <> 'draft'`
    await until(
      'all are issued',
      async () => (await query(left)).length >= all,
      180_000 + all * 500,
    )
    return (await query(figures))[0]
  })
  assert.deepEqual(found, {
    issued: all,
    workspaces: all,
    highest: all,
    counted: all,
    wrong: 0,
    zero: 0,
    receivable: all * TOTAL - (all / 2) * PREPAID,
    balance: 0,
    told: all,
    audited: all,
  })

  const mooring = (args: string) =>
    runMooring(t, `billing ${args}`.split(' '), {
      environment: { ...environment, MOORING_DATA_DIR: dataDir },
    })
  for (const [args, code, words] of outcomesIn(dataDir, all)) {
    const ended = await mooring(args)
    assert.match(ended.stderr, words, args)
    assert.equal(ended.code, code, args)
  }
  await checkSaved(dataDir)
  checkListed((await mooring('list')).stdout, all)
  assert.equal((await service.stop()).code, 0)
})
