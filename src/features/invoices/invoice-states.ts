/**
 * How an issued invoice ends: paid, or void. Each is one conditional statement, so that of all who
 * ask for it at once one has done it, and the ledger is written with it.
 */
import type { Db } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import type { Origin } from '../../events/event.ts'
import { formatId } from '../../lib/ids.ts'
import { type LedgerLine, post } from '../ledger/ledger.ts'
import { lockSubscription } from '../subscriptions/subscription-lock.ts'
import { tell } from './invoice-issue.ts'
import { dueOf } from './invoice-view.ts'
import * as store from './store.ts'

export interface InvoicePayment {
  workspaceId: string
  /** UUID. */
  invoiceId: string
  /** Of the ledger, such as `payment:pay_…`: it is written there once. */
  key: string
  /** What was paid, in minor units; it must be what was due. */
  amount: number
  currency: string
  /** How it was paid, for the event, such as `manual` or `stripe`. */
  source: string
}

/**
 * Makes an invoice paid, with the money that came in for it.
 * @returns the invoice, or undefined when it is not open or overdue: then nothing is written, and
 * whoever has the money may credit it to the balance.
 * @throws Error when the amount or the currency is not what was due, and for a key of the ledger
 * that was used before; nothing is written then either, if the transaction ends with it.
 */
export async function markInvoicePaid(
  trx: Db,
  origin: Origin,
  payment: InvoicePayment,
): Promise<store.InvoiceRow | undefined> {
  const { workspaceId, invoiceId, key, amount, currency, source } = payment
  const row = await store.settleInvoice(trx, workspaceId, invoiceId)
  if (row === undefined) return undefined
  const due = (row.total ?? 0) - (row.balance_used ?? 0)
  if (amount !== due || currency !== row.currency) {
    throw new Error('a payment is not what the invoice asks for')
  }
  const lines: LedgerLine[] = [
    { account: 'payments', amount },
    { account: 'receivable', amount: -amount },
  ]
  if (!(await post(trx, { workspaceId, key, currency, lines }))) {
    throw new Error('the payment of an invoice stands in the ledger already')
  }
  await tell(trx, 'invoice.paid', row, { source }, origin)
  return row
}

export interface InvoiceStanding {
  status: store.InvoiceRow['status']
  /** What is to be paid, in minor units. */
  amount: number
  currency: string
}

/**
 * How an invoice stands.
 * @throws Failure invoice_not_found
 */
export async function findStanding(
  db: Db,
  workspaceId: string,
  invoiceId: string,
): Promise<InvoiceStanding> {
  const row = await demandInvoice(db, workspaceId, invoiceId)
  return { status: row.status, amount: dueOf(row), currency: row.currency }
}

/**
 * What is open of an invoice, for whoever is about to pay it.
 * @throws Failure invoice_not_found, invalid_transition unless it is open or overdue.
 */
async function findPayable(
  db: Db,
  workspaceId: string,
  invoiceId: string,
): Promise<{ amount: number; currency: string }> {
  const { status, ...due } = await findStanding(db, workspaceId, invoiceId)
  if (status !== 'open' && status !== 'overdue') throw refusal(status, 'paid')
  return due
}

async function demandInvoice(
  db: Db,
  workspaceId: string,
  invoiceId: string,
): Promise<store.InvoiceRow> {
  const row = await store.findInvoice(db, workspaceId, invoiceId)
  if (row === undefined) throw new Failure('invoice_not_found')
  return row
}

const refusal = (from: string, to: string): Failure =>
  new Failure('invalid_transition', { detail: `An invoice that is ${from} can not become ${to}.` })

/**
 * Makes an invoice paid by the word of the operator.
 * @param reference what the operator knows the payment by; good once in a workspace.
 * @throws Failure invoice_not_found, invalid_transition
 */
export async function payByHand(
  trx: Db,
  origin: Origin,
  { workspaceId, invoiceId, reference }: Record<'workspaceId' | 'invoiceId' | 'reference', string>,
): Promise<store.InvoiceRow> {
  const due = await findPayable(trx, workspaceId, invoiceId)
  const key = `payment:manual:${reference}`
  const payment = { workspaceId, invoiceId, key, ...due, source: 'manual' }
  const row = await markInvoicePaid(trx, origin, payment)
  if (row !== undefined) return row
  throw refusal((await demandInvoice(trx, workspaceId, invoiceId)).status, 'paid')
}

/**
 * Takes an invoice back: nothing is to be paid for it any more, and what it took from the balance
 * is there again. Its number and its month stay taken.
 * @throws Failure invoice_not_found, invalid_transition
 */
export async function voidInvoice(
  trx: Db,
  origin: Origin,
  { workspaceId, invoiceId }: { workspaceId: string; invoiceId: string },
): Promise<store.InvoiceRow> {
  await lockSubscription(trx, workspaceId)
  const row = await store.annulInvoice(trx, workspaceId, invoiceId)
  if (row === undefined) {
    throw refusal((await demandInvoice(trx, workspaceId, invoiceId)).status, 'void')
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
  await tell(trx, 'invoice.voided', row, {}, origin)
  return row
}
