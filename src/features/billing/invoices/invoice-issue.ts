/**
 * Issues invoices: a draft for each month that has a price, and the invoice after the month.
 * Several processes may do this at once and crash anywhere: each step is one transaction, and the
 * rows it changes guard one-time effects.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { monthOf } from '../../../platform/lib/billing-time.ts'
import { HOUR_MS } from '../../../platform/lib/time.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { type LedgerLine, post, readSums } from '../ledger/ledger.ts'
import type { PlanServices } from '../../metering/plans/plan-directory.ts'
import {
  type BillingServices,
  endBilling,
  lockSubscription,
} from '../../metering/subscriptions/subscription-lock.ts'
import { usageBetween } from '../../metering/usage/usage-report.ts'
import { computeInvoice, isPriced } from './invoice-computing.ts'
import { numberText, eventDataOf } from './invoice-view.ts'
import * as store from './store.ts'
import type { InvoiceRow } from './store.ts'

export type IssueServices = { db: Db } & PlanServices & BillingServices

const BATCH = 200
/** Delay after the end of a month; usage is final by then. */
const SETTLED_AFTER_S = 300

/** Records an event of an invoice by the service itself. */
export const recordInvoiceEvent = (
  trx: Db,
  action: `invoice.${'created' | 'finalized' | 'paid' | 'overdue' | 'voided'}`,
  row: InvoiceRow,
  more: object = {},
  origin = serviceOrigin,
): Promise<void> =>
  record(trx, origin, {
    workspaceId: row.workspace_id,
    action,
    resource: { kind: 'invoice', id: formatId('inv', row.id) },
    data: { ...eventDataOf(row), ...more },
  })

/** Drafts the next month. @returns whether there may be another */
async function draftNext(trx: Db, workspaceId: string): Promise<boolean> {
  const row = await store.lockUndraftedRow.first(trx, { workspaceId })
  if (row === undefined) return false
  const month = { from: row.drafted_until, to: monthOf(row.drafted_until, 1) }
  const { currency } = row
  if (currency !== null && (await isPriced(trx, workspaceId, month))) {
    const draft = { workspaceId, id: newUuid(), ...month, currency }
    if (await store.insertDraftInvoice.any(trx, draft)) {
      const found = await store.lockDraftInvoice.first(trx, { workspaceId, id: draft.id })
      if (found !== undefined) await recordInvoiceEvent(trx, 'invoice.created', found)
    }
  }
  await store.advanceDrafts.run(trx, { workspaceId, until: month.to })
  return true
}

/** Collects the failures of a run that continues with the rest. */
class Failed {
  readonly ids: string[] = []
  #cause: unknown

  note(id: string, cause: unknown): void {
    this.ids.push(id)
    this.#cause = cause
  }

  /** @throws Error if there were any */
  end(what: string): void {
    if (this.ids.length === 0) return
    const reason = this.#cause instanceof Error ? this.#cause.message : String(this.#cause)
    throw new Error(`${this.ids.length} ${what}: ${reason}`, { cause: this.#cause })
  }
}

/**
 * Creates missing drafts, up to the current month.
 * @throws Error if some could not be drafted, after all others
 */
export async function draftInvoices(
  { db, plans }: Pick<IssueServices, 'db' | 'plans'>,
  signal?: AbortSignal,
): Promise<void> {
  if (!plans.isOn) return
  const failed = new Failed()
  let drafted = BATCH
  while (drafted === BATCH) {
    const rows = await store.findUndrafted.rows(db, { without: failed.ids, limit: BATCH })
    drafted = rows.length
    for (const { workspace_id: id } of rows) {
      if (signal?.aborted) return
      try {
        let isMore = true
        while (isMore) isMore = await db.transaction((trx) => draftNext(trx, id))
      } catch (error) {
        failed.note(id, error)
      }
    }
  }
  failed.end('workspaces have no draft')
}

/** The two ledger transactions of an issued invoice. */
async function postInvoice(trx: Db, row: InvoiceRow): Promise<void> {
  const { workspace_id: workspaceId, currency, subtotal, tax, total, balance_used } = row
  const key = `invoice:${formatId('inv', row.id)}`
  const asked: LedgerLine[] = [
    { account: 'receivable', amount: total ?? 0 },
    { account: 'revenue', amount: 0 - (subtotal ?? 0) },
    { account: 'tax', amount: 0 - (tax ?? 0) },
  ]
  await post(trx, { workspaceId, key, currency, lines: asked })
  const used: LedgerLine[] = [
    { account: 'balance', amount: balance_used ?? 0 },
    { account: 'receivable', amount: 0 - (balance_used ?? 0) },
  ]
  await post(trx, { workspaceId, key: `${key}:balance`, currency, lines: used })
}

/** Issues a draft whose month is over. @returns undefined if it is no longer a draft */
async function finalize(
  trx: Db,
  { billing }: BillingServices,
  { workspace_id: workspaceId, id }: { workspace_id: string; id: string },
): Promise<InvoiceRow | undefined> {
  const subscription = await lockSubscription(trx, workspaceId)
  const draft = await store.lockDraftInvoice.first(trx, { workspaceId, id })
  if (draft?.is_over !== true) return undefined
  const { period_start: from, period_end: to, ended_at } = draft
  const computing = {
    workspaceId,
    month: { from, to },
    until: ended_at === null ? to : Math.ceil(ended_at / HOUR_MS) * HOUR_MS,
    subscription,
    workspace: { name: draft.workspace_name, slug: draft.workspace_slug },
  }
  const { content, amounts } = await computeInvoice(trx, billing, computing, usageBetween)
  const { subtotal, tax_amount: tax, total } = amounts
  const { prepaid } = await readSums(trx, workspaceId, draft.currency)
  const row = await store.issueInvoice.one(trx, {
    workspaceId,
    id,
    content: JSON.stringify(content),
    subtotal,
    tax,
    total,
    balanceUsed: Math.max(0, Math.min(prepaid, total)),
    dueDays: billing.dueDays,
  })
  if (ended_at !== null && ended_at < to) await endBilling.run(trx, { workspaceId })
  await postInvoice(trx, row)
  await recordInvoiceEvent(trx, 'invoice.finalized', row)
  if (row.status === 'paid')
    await recordInvoiceEvent(trx, 'invoice.paid', row, { source: 'balance' })
  return row
}

/**
 * Issues every draft whose month is over.
 * @returns the numbers of the issued invoices
 * @throws Error if some could not be issued, after all others
 */
export async function finalizeInvoices(
  services: IssueServices,
  signal?: AbortSignal,
  settledAfterS = SETTLED_AFTER_S,
): Promise<string[]> {
  const { db, plans } = services
  if (!plans.isOn) return []
  const numbers: string[] = []
  const failed = new Failed()
  for (;;) {
    const { ids: without } = failed
    const asked = { lateSeconds: settledAfterS, without, limit: BATCH }
    const due = await store.findDueDrafts.rows(db, asked)
    if (due.length === 0) break
    for (const draft of due) {
      if (signal?.aborted) return numbers
      const { workspace_id: workspaceId, over_at: end } = draft
      try {
        // Closed in a separate transaction: metering must not wait for a longer one.
        await usageBetween(db, workspaceId, end, end)
        const row = await db.transaction((trx) => finalize(trx, services, draft))
        if (row?.number != null) numbers.push(numberText(row.number))
      } catch (error) {
        failed.note(draft.id, error)
      }
    }
  }
  failed.end('invoices could not be issued')
  return numbers
}

/** Marks open invoices past their due date as overdue. */
export async function lapseInvoices(db: Db, signal?: AbortSignal): Promise<void> {
  let lapsed = BATCH
  while (lapsed === BATCH) {
    if (signal?.aborted) return
    lapsed = await db.transaction(async (trx) => {
      const rows = await store.lapseInvoices.rows(trx, { limit: BATCH })
      for (const row of rows) await recordInvoiceEvent(trx, 'invoice.overdue', row)
      return rows.length
    })
  }
}
