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
import {
  addWorkspaces,
  makeInvoices,
  PREPAID,
  type Query,
  TOTAL,
  withDatabase,
} from '../support/invoiced-workspaces.ts'
import { plansFile } from '../support/plans.ts'
import { preparedDataDir, runMooring, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.MOORING_TEST_KILLS ?? 1)
/** Workspaces that are to be invoiced in each round. */
const EACH = 12
/** A pause between the ledger and its event, so that kills come just there. */
const slowDown = (query: Query) =>
  query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           PERFORM pg_sleep(0.1); RETURN NULL; END $$;
         CREATE TRIGGER slow AFTER INSERT ON ledger_entries
           FOR EACH STATEMENT EXECUTE FUNCTION slow()`)

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
    (SELECT count(*)::int FROM events WHERE type = 'invoice.finalized') AS received,
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
    ['verify', 0, new RegExp(`^Recomputed ${all} invoices: they match the issued invoices`)],
    ['mark-paid 1 --reference bank-1', 0, /is paid/],
    [`save 1 ${join(dataDir, 'one.json')}`, 0, /is in .*one\.json/],
    [`save 1 ${join(dataDir, 'one.json')}`, 1, /one\.json exists and is not overwritten: name/],
    [`save 1 ${join(dataDir, 'no', 'one.json')}`, 1, /cannot be written: there is no /],
    [`save 2 ${join(dataDir, 'two.pdf')}`, 0, /is in .*two\.pdf/],
    ['void INV-000001', 1, /An invoice that is paid cannot become void/],
    ['credit w-1-1 12.5 --reference cash-1', 0, /has EUR 12\.50 more/],
    ['credit w-1-1 12.505 --reference cash-2', 1, /12\.505 is not an amount of EUR/],
    ['subscribe w-1-1 acme-2026 --tax-rate 0', 0, /has the plan acme-2026/],
  ] as const
}

test(`invoices are issued once in spite of ${KILLS} kills, and verified by the operator`, {
  timeout: 300_000 + KILLS * 30_000,
}, async (t) => {
  const dataDir = await preparedDataDir(t)
  const environment = { MOORING_PLANS_FILE: plansFile(), MOORING_TAX_RATE_BP: '1900' }
  let service = await startService(t, dataDir, { environment })
  await withDatabase(dataDir, slowDown)
  for (let round = 1; round <= KILLS; round += 1) {
    await withDatabase(dataDir, async (query) => {
      await addWorkspaces(query, round, EACH)
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
    received: all,
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
