/**
 * Final states of an issued invoice: paid or void. Each transition is one conditional statement, so
 * of concurrent callers one succeeds, and the ledger is written with it.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { type LedgerLine, post } from '../ledger/ledger.ts'
import { lockSubscription } from '../../metering/subscriptions/subscription-lock.ts'
import { recordInvoiceEvent } from './invoice-issue.ts'
import { dueOf } from './invoice-view.ts'
import { readInvoice } from './invoice.ts'
import * as store from './store.ts'

export interface InvoicePayment {
  workspaceId: string
  /** UUID. */
  invoiceId: string
  /** Ledger key, such as `payment:pay_…`; unique. */
  key: string
  /** The amount paid in minor units; must equal the amount due. */
  amount: number
  currency: string
  /** The means of payment, for the event, such as `manual` or `stripe`. */
  source: string
}

/**
 * Marks an invoice paid and books the money.
 * @returns the invoice; undefined if it is neither open nor overdue: then nothing is written, and
 * the caller may credit the money to the balance
 * @throws Error for a wrong amount or currency, or a used ledger key; if the transaction ends with
 * it, nothing is written
 */
export async function markInvoicePaid(
  trx: Db,
  origin: Origin,
  payment: InvoicePayment,
): Promise<store.InvoiceRow | undefined> {
  const { workspaceId, invoiceId, key, amount, currency, source } = payment
  const row = await store.settleInvoice.first(trx, { workspaceId, id: invoiceId })
  if (row === undefined) return undefined
  const due = (row.total ?? 0) - (row.balance_used ?? 0)
  if (amount !== due || currency !== row.currency) {
    throw new Error('the amount of a payment differs from the invoice')
  }
  const lines: LedgerLine[] = [
    { account: 'payments', amount },
    { account: 'receivable', amount: -amount },
  ]
  if (!(await post(trx, { workspaceId, key, currency, lines }))) {
    throw new Error('the payment of an invoice stands in the ledger already')
  }
  await recordInvoiceEvent(trx, 'invoice.paid', row, { source }, origin)
  return row
}

export interface InvoiceState {
  status: store.InvoiceRow['status']
  /** Amount due in minor units. */
  amount: number
  currency: string
}

/**
 * The state of an invoice.
 * @throws Failure invoice_not_found
 */
export async function findInvoiceState(
  db: Db,
  workspaceId: string,
  invoiceId: string,
): Promise<InvoiceState> {
  const row = await readInvoice(db, { workspaceId }, invoiceId)
  return { status: row.status, amount: dueOf(row), currency: row.currency }
}

const refusal = (from: string, to: string): Failure =>
  new Failure('invalid_transition', { detail: `An invoice that is ${from} cannot become ${to}.` })

/**
 * Marks an invoice paid on the operator's word.
 * @param reference the operator's reference of the payment; unique in a workspace
 * @throws Failure invoice_not_found, invalid_transition
 */
export async function payByHand(
  trx: Db,
  origin: Origin,
  { workspaceId, invoiceId, reference }: Record<'workspaceId' | 'invoiceId' | 'reference', string>,
): Promise<store.InvoiceRow> {
  const { status, ...due } = await findInvoiceState(trx, workspaceId, invoiceId)
  if (status !== 'open' && status !== 'overdue') throw refusal(status, 'paid')
  const key = `payment:manual:${reference}`
  const payment = { workspaceId, invoiceId, key, ...due, source: 'manual' }
  const row = await markInvoicePaid(trx, origin, payment)
  if (row !== undefined) return row
  throw refusal((await findInvoiceState(trx, workspaceId, invoiceId)).status, 'paid')
}

/**
 * Voids an invoice: nothing is due any more, and the balance gets back what was used. Its number
 * and month stay taken.
 * @throws Failure invoice_not_found, invalid_transition
 */
export async function voidInvoice(
  trx: Db,
  origin: Origin,
  { workspaceId, invoiceId }: { workspaceId: string; invoiceId: string },
): Promise<store.InvoiceRow> {
  await lockSubscription(trx, workspaceId)
  const row = await store.annulInvoice.first(trx, { workspaceId, id: invoiceId })
  if (row === undefined) {
    throw refusal((await findInvoiceState(trx, workspaceId, invoiceId)).status, 'void')
  }
  const { subtotal, tax, total, balance_used: used, currency } = row
  const lines: LedgerLine[] = [
    { account: 'receivable', amount: (used ?? 0) - (total ?? 0) },
    { account: 'revenue', amount: subtotal ?? 0 },
    { account: 'tax', amount: tax ?? 0 },
    { account: 'balance', amount: 0 - (used ?? 0) },
  ]
  const key = `invoice:${formatId('inv', invoiceId)}:void`
  await post(trx, { workspaceId, key, currency, lines })
  await recordInvoiceEvent(trx, 'invoice.voided', row, {}, origin)
  return row
}
