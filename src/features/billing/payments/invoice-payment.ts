/**
 * Pays an invoice: from the prepaid balance if it suffices, else with a payment method. However
 * many requests there are, one payment is in progress at a time, and one succeeds.
 */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import type { ChargingProvider } from '../../../adapters/payment-provider/port.ts'
import { findInvoiceState, type InvoiceState, markInvoicePaid } from '../invoices/invoice-states.ts'
import { post, readSums } from '../ledger/ledger.ts'
import { chooseMethod } from '../payment-methods/payment-method.ts'
import { lockSubscription } from '../../metering/subscriptions/subscription-lock.ts'
import { charge, chargeSoon, checkPayment, replaceWaiting } from './charge.ts'
import { resultOf, resultWithout } from './payment.ts'
import type { PayInvoice, PaymentResult } from './schema.ts'
import { ledgerKeyOf, recordPayment } from './settlement.ts'
import * as store from './store.ts'
import { creatorOf } from '../../../platform/record/event.ts'

/** A declined method is not retried for this long: concurrent callers get one response. */
const REFUSED_SECONDS = 10

type Begun =
  | { kind: 'paid'; row: store.PaymentRow | undefined }
  | { kind: 'by_hand' }
  /** To be charged by its creator only. */
  | { kind: 'new'; row: store.PaymentRow }
  /** In progress, or just failed. */
  | { kind: 'known'; row: store.PaymentRow }

interface Debt extends InvoiceState {
  invoiceId: string
}

async function payFromBalance(
  trx: Db,
  context: Context,
  { invoiceId, amount, currency }: Debt,
): Promise<store.PaymentRow> {
  const { workspaceId } = context
  const createdBy = creatorOf(originOf(context))
  const payment = { workspaceId, id: newUuid(), invoiceId, amount, currency, createdBy }
  const row = await store.insertPaidPayment.one(trx, payment)
  const origin = originOf(context)
  const key = ledgerKeyOf(row)
  if (!(await markInvoicePaid(trx, origin, { ...payment, key, source: 'balance' }))) {
    throw new Failure('invalid_transition', { detail: 'The invoice is no longer open.' })
  }
  // No money came in for it: it was prepaid.
  const lines = [
    { account: 'balance', amount },
    { account: 'payments', amount: -amount },
  ] as const
  await post(trx, { workspaceId, currency, key: `${key}:balance`, lines })
  await recordPayment(trx, origin, 'payment.succeeded', row, { credited_to: 'invoice' })
  return row
}

async function beginCharge(
  trx: Db,
  context: Context,
  provider: ChargingProvider,
  debt: Debt,
  named: string | undefined,
): Promise<Begun> {
  const { workspaceId } = context
  const { invoiceId, amount, currency } = debt
  const methodId = await chooseMethod(trx, workspaceId, provider.name, named)
  const failed = await store.findJustFailed.first(trx, {
    workspaceId,
    invoiceId,
    methodId,
    seconds: REFUSED_SECONDS,
  })
  if (failed !== undefined) return { kind: 'known', row: failed }
  const row = await store.insertPayment.first(trx, {
    workspaceId,
    id: newUuid(),
    kind: 'invoice',
    invoiceId,
    provider: provider.name,
    methodId,
    amount,
    currency,
    requestKey: null,
    createdBy: creatorOf(originOf(context)),
  })
  if (row === undefined) throw new Error('an invoice has two open payments')
  await recordPayment(trx, originOf(context), 'payment.created', row)
  return { kind: 'new', row }
}

/** Decides under the balance's lock what to do, and stores it. */
async function begin(context: Context, invoiceId: string, input: PayInvoice): Promise<Begun> {
  const { db, payments, workspaceId } = context
  const { payment_method_id: named } = input
  return db.transaction(async (trx) => {
    await lockSubscription(trx, workspaceId)
    const debt = { ...(await findInvoiceState(trx, workspaceId, invoiceId)), invoiceId }
    const { status } = debt
    if (status === 'paid') {
      const row = await store.findPaidPayment.first(trx, { workspaceId, invoiceId })
      return { kind: 'paid', row }
    }
    if ((status !== 'open' && status !== 'overdue') || debt.amount <= 0) {
      throw new Failure('invalid_transition', { detail: `The invoice is ${status}.` })
    }
    const going = await store.findOpenPayment.first(trx, { workspaceId, invoiceId })
    if (going !== undefined) return { kind: 'known', row: going }
    const readPrepaid = async () => (await readSums(trx, workspaceId, debt.currency)).prepaid
    if (named === undefined && (await readPrepaid()) >= debt.amount) {
      return { kind: 'paid', row: await payFromBalance(trx, context, debt) }
    }
    if (payments.kind === 'manual') return { kind: 'by_hand' }
    return beginCharge(trx, context, payments, debt, named)
  })
}

/** @throws Failure invoice_not_found, invalid_transition, payment_method_missing */
export async function payInvoice(
  context: Context,
  invoiceId: string,
  input: PayInvoice,
): Promise<PaymentResult> {
  const { payments } = context
  const begun = await begin(context, invoiceId, input)
  if (begun.kind === 'by_hand' || payments.kind === 'manual') {
    if (begun.kind === 'paid' && begun.row) return resultOf(begun.row, payments)
    const instructions = payments.kind === 'manual' ? payments.instructions : null
    return resultWithout(begun.kind === 'paid' ? 'paid' : 'by_hand', instructions)
  }
  if (begun.row === undefined) return resultWithout('paid', null)
  const { row } = begun
  const { payment_method_id: named } = input
  const waits = begun.kind === 'known' && row.status === 'requires_action'
  if (waits && named !== undefined && row.method_id && formatId('pm', row.method_id) !== named) {
    return payWithAnother(context, payments, invoiceId, row, input)
  }
  const advance = begun.kind === 'new' ? charge : checkPayment
  const charged = await chargeSoon(context.db, payments, row, advance)
  return resultOf(charged.row, payments, charged.clientSecret)
}

/** The payer switches to another method: the waiting payment is ended first. */
async function payWithAnother(
  context: Context,
  provider: ChargingProvider,
  invoiceId: string,
  waiting: store.PaymentRow,
  input: PayInvoice,
): Promise<PaymentResult> {
  const replaced = await chargeSoon(context.db, provider, waiting, replaceWaiting)
  if (replaced.row.status !== 'failed') return resultOf(replaced.row, provider)
  return payInvoice(context, invoiceId, input)
}
