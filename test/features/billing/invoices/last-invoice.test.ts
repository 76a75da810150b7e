/** The last invoice of a deleted workspace: issued on whatever day, once, before the erasure. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unnamed } from '../../../../src/platform/database/connect.ts'
import {
  draftInvoices,
  finalizeInvoices,
} from '../../../../src/features/billing/invoices/invoice-issue.ts'
import { eraseWorkspaces } from '../../../../src/features/workspaces/lifecycle/workspace-erasure.ts'
import { restoreWorkspace } from '../../../../src/features/workspaces/lifecycle/workspace-deletion.ts'
import { hourOf } from '../../../../src/platform/lib/billing-time.ts'
import { HOUR_MS } from '../../../../src/platform/lib/time.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  lastMonth,
  ledgerOf,
  owner,
  sql,
  subscribe,
  use,
  useBilledTenants,
} from '../../../support/billing.ts'
import { plansFile } from '../../../support/plans.ts'
import { until } from '../../../support/until.ts'

const tenants = useBilledTenants({ environment: { MOORING_PLANS_FILE: plansFile() } })

const { signal: never } = new AbortController()

const makeInvoices = async ({ services }: TestApp): Promise<void> => {
  await draftInvoices(services)
  await finalizeInvoices(services)
}

const erase = ({ database }: TestApp): Promise<number> => eraseWorkspaces(database, never, 0, true)

/** Changes an invoice as nobody can but who owns the table, and only for a moment. */
const amend = ({ database, seed }: TestApp, change: string, values: readonly unknown[] = []) =>
  database.transaction(async (trx) => {
    await trx.query(unnamed('ALTER TABLE invoices DISABLE TRIGGER invoices_kept'))
    await trx.query(unnamed(`UPDATE invoices SET ${change} WHERE workspace_id = $1`), [
      seed.uuid,
      ...values,
    ])
    await trx.query(unnamed('ALTER TABLE invoices ENABLE TRIGGER invoices_kept'))
  })

/** The service drafts nothing of the time before. */
const NEVER = Date.UTC(2100)

/**
 * Deletes the workspace, as if that had been at another time, and has its erasure due.
 * @param draftFrom the start of the first month without a draft, if there was to be none
 */
async function removeAt(app: TestApp, at: number, draftFrom?: number): Promise<void> {
  const { id, slug, uuid } = app.seed
  const { status, text } = await app.call('DELETE', `/workspaces/${id}`, {
    ...owner(app),
    body: { confirm: slug },
  })
  assert.equal(status, 202, text)
  await sql(
    app,
    `WITH undrafted AS (
       UPDATE subscriptions SET drafted_until = to_timestamp($3::float8 / 1000)
       WHERE workspace_id = $1 AND $3::float8 IS NOT NULL)
     UPDATE workspaces SET delete_requested_at = to_timestamp($2::float8 / 1000),
            erase_at = now() WHERE id = $1`,
    [uuid, at, draftFrom ?? null],
  )
}

interface Invoice {
  status: string
  period_start: number
  /** The lines: meter, end, amount. */
  lines: [string, string, number][]
}

const invoicesOf = (app: TestApp): Promise<Invoice[]> =>
  sql<Invoice>(
    app,
    `SELECT status, period_start, (
       SELECT jsonb_agg(jsonb_build_array(line->'meter', line->'to', line->'amount'))
       FROM jsonb_array_elements(content->'lines') AS line) AS lines
     FROM invoices WHERE workspace_id = $1 ORDER BY period_start`,
    [app.seed.uuid],
  )

const isThere = async (app: TestApp): Promise<boolean> =>
  (await sql(app, 'SELECT FROM workspaces WHERE id = $1', [app.seed.uuid])).length > 0

/** Its one month began with the last one, and ends tomorrow: later than 30 days after its first. */
async function withLongMonth(app: TestApp): Promise<number> {
  const { from } = lastMonth()
  await subscribe(app, 'pay-as-you-go', { draftFrom: NEVER })
  const end = hourOf(Date.now()) + 24 * HOUR_MS
  await amend(
    app,
    `period_start = to_timestamp($2::float8 / 1000), period_end = to_timestamp($3::float8 / 1000)`,
    [from, end],
  )
  return (end - from) / HOUR_MS
}

describe('the last invoice of a deleted workspace', () => {
  test('is issued once, before the erasure, though its month continues', async (t) => {
    const app = await tenants(t)
    const { from } = lastMonth()
    const hours = await withLongMonth(app)
    await use(app, { messages: 2_000_000 })
    await removeAt(app, from + 10.2 * HOUR_MS)
    assert.equal(await erase(app), 0, 'the erasure waits for the invoice')
    await Promise.all(Array.from({ length: 6 }, () => makeInvoices(app)))
    const [invoice, more] = await invoicesOf(app)
    assert.deepEqual([invoice?.status, more], ['open', undefined])
    const end = new Date(from + 11 * HOUR_MS).toISOString()
    const included = Math.round((1_000_000 * 11) / hours)
    assert.deepEqual(
      invoice?.lines.filter(([, , amount]) => amount > 0),
      [
        ['base', end, Math.round((900 * 11) / hours)],
        ['messages', end, Math.round((2_000_000 - included) / 1_000)],
      ],
    )
    const { all, receivable = 0, revenue = 0 } = await ledgerOf(app)
    assert.ok(
      all === 0 && receivable > 0 && receivable === -revenue,
      'the invoice is in the ledger',
    )
    assert.equal(await erase(app), 0, 'the workspace is kept for a while')
    await amend(app, `issued_at = issued_at - interval '8 days'`)
    await until('it is erased', async () => {
      // A write of the service just before the end postpones it.
      await erase(app).catch(() => 0)
      return !(await isThere(app))
    })
  })

  test('is also issued for a month that had no draft at the deletion', async (t) => {
    const app = await tenants(t)
    const { from } = lastMonth()
    await subscribe(app, 'pay-as-you-go', { draftFrom: NEVER })
    await amend(app, `period_start = '2020-01-01Z', period_end = '2020-02-01Z'`)
    await removeAt(app, from + 30_000, from)
    assert.equal(await erase(app), 0)
    await makeInvoices(app)
    const invoices = (await invoicesOf(app)).filter(({ period_start }) => period_start >= from)
    assert.equal(invoices.length, 1, 'the time after the deletion is not charged')
    const [base] = invoices[0]?.lines ?? []
    assert.deepEqual(base?.slice(0, 2), ['base', new Date(from + HOUR_MS).toISOString()])
  })

  test('is followed by one from the hour on in which the workspace comes back', async (t) => {
    const app = await tenants(t)
    const { from } = lastMonth()
    await withLongMonth(app)
    await removeAt(app, Date.now())
    await makeInvoices(app)
    await restoreWorkspace(app.services, app.seed.slug)
    await makeInvoices(app)
    const statuses = async () => (await invoicesOf(app)).map(({ status }) => status)
    assert.deepEqual(
      await statuses(),
      ['draft'],
      'a workspace that is restored soon has one invoice',
    )
    await removeAt(app, from + HOUR_MS)
    await makeInvoices(app)
    const before = hourOf(Date.now())
    await restoreWorkspace(app.services, app.seed.slug)
    await makeInvoices(app)
    assert.deepEqual(await statuses(), ['open', 'draft'])
    const [, draft] = await invoicesOf(app)
    assert.ok(draft !== undefined && draft.period_start >= before)
    const changed = await app.call('PUT', `/workspaces/${app.seed.id}/subscription`, {
      ...owner(app),
      body: { plan_id: 'pay-as-you-go', billing_details: { name: 'Other' } },
    })
    assert.equal(changed.status, 200, changed.text)
    await makeInvoices(app)
    assert.deepEqual(await statuses(), ['open', 'draft'], 'nothing is charged twice')
  })

  test('does not prevent charging a workspace that an older build has restored', async (t) => {
    const app = await tenants(t)
    await subscribe(app, 'pay-as-you-go')
    const end = `UPDATE subscriptions SET billed_from = 'infinity' WHERE workspace_id = $1`
    await sql(app, end, [app.seed.uuid])
    await makeInvoices(app)
    const { from, to } = lastMonth()
    const starts = async () => (await invoicesOf(app)).map(({ period_start }) => period_start)
    assert.deepEqual(await starts(), [from, to])
    // That build makes drafts too, and does not say that the end was none.
    await sql(app, end, [app.seed.uuid])
    await removeAt(app, Date.now())
    await restoreWorkspace(app.services, app.seed.slug)
    await makeInvoices(app)
    assert.deepEqual(await starts(), [from, to], 'each period has one invoice')
  })
})
