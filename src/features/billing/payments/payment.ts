/** Reading payments, and the token of a document that makes them. */
import type { Context } from '../../../context.ts'
import { issuePaymentToken, PAYMENT_TOKEN_SECONDS } from '../../../platform/access/payment-token.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { parseId, formatId } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { requireCharging } from '../payment-methods/provider-call.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import type { PaymentProvider } from '../../../adapters/payment-provider/port.ts'
import type { PaymentRow } from './store.ts'
import type { Paged } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'

const viewOf = rowView<PaymentRow>()(schema.PaymentView, {
  payment_method_id: (row) => row.method_id && formatId('pm', row.method_id),
  failure: (row) =>
    row.failure_code === null
      ? null
      : { code: row.failure_code, message: row.failure_message ?? '' },
})

function statusOf({ status }: PaymentRow): schema.PaymentResult['status'] {
  if (status === 'succeeded' || status === 'refunded') return 'paid'
  if (status === 'failed' || status === 'requires_action') return status
  return 'processing'
}

/** @param clientSecret while the payer has to act */
export function resultOf(
  row: PaymentRow,
  provider: PaymentProvider,
  clientSecret?: string,
): schema.PaymentResult {
  const status = statusOf(row)
  const needsAction = status === 'requires_action' && provider.kind === 'charging'
  return {
    status,
    payment: viewOf(row),
    client_secret: needsAction ? (clientSecret ?? null) : null,
    publishable_key: needsAction ? (provider.publishableKey ?? null) : null,
    instructions: null,
  }
}

/** The result if no payment is needed or possible. */
export const resultWithout = (
  status: 'paid' | 'by_hand',
  instructions: string | null,
): schema.PaymentResult => ({
  status,
  payment: null,
  client_secret: null,
  publishable_key: null,
  instructions,
})

/** Newest first. */
export async function listPayments(
  context: Context,
  query: schema.ListPayments,
): Promise<Paged<schema.PaymentView>> {
  const { invoice_id: named } = query
  const invoiceId = named === undefined ? undefined : parseId('inv', named)
  if (named !== undefined && invoiceId === undefined) {
    throw invalid('/query/invoice_id', 'is not the id of an invoice')
  }
  return listFiltered(context, query, {
    name: 'payments',
    fields: schema.paymentFields,
    conditions: { invoice_id: invoiceId },
    pageOf: store.pageOfPayments,
    view: viewOf,
  })
}

export async function getPayment(
  { db, workspaceId }: Context,
  paymentId: string,
): Promise<schema.PaymentView> {
  const row = found(
    await store.findPayment.first(db, { workspaceId, id: paymentId }),
    'payment_not_found',
  )
  return viewOf(row)
}

/**
 * Lets a person pay in a document that also runs the script of the payment provider.
 * @throws Failure payments_by_hand
 */
export async function createPaymentToken({
  caller,
  clock,
  keyring,
  payments,
  workspaceId,
}: Context<UserCaller>): Promise<schema.PaymentToken> {
  requireCharging(payments)
  const { userId, sessionId } = caller
  const token = issuePaymentToken(keyring, { userId, sessionId, workspaceId }, clock.now())
  return { token, expires_in: PAYMENT_TOKEN_SECONDS }
}
