/**
 * Recomputes an issued invoice from the usage ledger and the plans as they were chosen,
 * independently of the plans file and configuration.
 */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { linesOf, sumOf } from '../ledger/ledger.ts'
import { timestamp } from '../../common/shapes.ts'
import { usageBetween } from '../../metering/usage/usage-report.ts'
import { withUse } from './invoice-computing.ts'
import { type Amounts, amountsOf } from './invoice-lines.ts'
import { saidBy } from './invoice-view.ts'
import { readInvoice } from './invoice.ts'
import type { Verification } from './schema.ts'
import type { InvoiceRow } from './store.ts'

/** Whether the ledger contains the invoice as issued. */
async function isInLedger(db: Db, row: InvoiceRow, amounts: Amounts): Promise<boolean> {
  const key = `invoice:${formatId('inv', row.id)}`
  const asked = (await linesOf(db, row.workspace_id, key)) ?? []
  const used = (await linesOf(db, row.workspace_id, `${key}:balance`)) ?? []
  return (
    sumOf(asked, 'receivable') === amounts.total &&
    sumOf(asked, 'revenue') === 0 - amounts.subtotal &&
    sumOf(asked, 'tax') === 0 - amounts.tax_amount &&
    sumOf(used, 'balance') === row.balance_used
  )
}

/**
 * @throws Failure invoice_not_found; invalid_transition for a draft, which has nothing to compare
 */
export async function verifyInvoice(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  invoiceId: string,
): Promise<Verification> {
  const row = await readInvoice(db, { workspaceId }, invoiceId)
  const said = saidBy(row)
  if (row.content === null || said === undefined) {
    throw new Failure('invalid_transition', { detail: 'A draft is computed whenever it is read.' })
  }
  const { terms, tax, carries } = row.content
  const month = { from: row.period_start, to: row.period_end }
  const used = await withUse(db, workspaceId, terms, usageBetween)
  const recomputed = amountsOf(used, month, tax ?? undefined, carries)
  return {
    invoice_id: formatId('inv', invoiceId),
    matches: canonicalJson(recomputed) === canonicalJson(said.amounts),
    ledger_matches: await isInLedger(db, row, said.amounts),
    plans: terms.map(({ from, to, plan }) => ({ from: timestamp(from), to: timestamp(to), plan })),
    issued: said.amounts,
    recomputed,
  }
}
