/** Reading payments. */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { viewOf } from './payment-view.ts'
import { type ListPayments, paymentFields, type PaymentView } from './schema.ts'
import * as store from './store.ts'

/** Newest first. */
export async function listPayments(
  context: Context<KnownCaller>,
  query: ListPayments,
): Promise<{ items: PaymentView[]; next_cursor: string | null }> {
  const { invoice_id: named } = query
  const invoiceId = named === undefined ? undefined : parseId('inv', named)
  if (named !== undefined && invoiceId === undefined) {
    throw invalid('/query/invoice_id', 'is not the id of an invoice')
  }
  return listFiltered(context, query, {
    name: 'payments',
    fields: paymentFields,
    conditions: { invoice_id: invoiceId },
    pageOf: store.pageOfPayments,
    view: viewOf,
  })
}

export async function getPayment(
  { db, workspaceId }: Context<KnownCaller>,
  paymentId: string,
): Promise<PaymentView> {
  const row = found(
    await store.findPayment.first(db, { workspaceId, id: paymentId }),
    'payment_not_found',
  )
  return viewOf(row)
}
