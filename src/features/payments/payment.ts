/** Reading payments. */
import type { KnownCaller } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { Failure, invalid } from '../../errors.ts'
import { parseId } from '../../lib/ids.ts'
import { pageOf, readPage } from '../paging.ts'
import { viewOf } from './payment-view.ts'
import type { ListPayments, PaymentView } from './schema.ts'
import * as store from './store.ts'

/** Newest first. */
export async function listPayments(
  { db, keyring, workspaceId }: Context<KnownCaller>,
  query: ListPayments,
): Promise<{ items: PaymentView[]; next_cursor: string | null }> {
  const { invoice_id: named } = query
  const invoiceId = named === undefined ? undefined : parseId('inv', named)
  if (named !== undefined && invoiceId === undefined) {
    throw invalid('/query/invoice_id', 'is not the id of an invoice')
  }
  const list = `payments ${workspaceId} ${invoiceId ?? ''}`
  const mac = (text: string): Buffer => keyring.mac('cursor', text)
  const { after, limit } = readPage(query, list, mac)
  const rows = await store.pageOfPayments(db, workspaceId, {
    limit: limit + 1,
    ...(after !== undefined && { after }),
    ...(invoiceId !== undefined && { invoiceId }),
  })
  return pageOf(rows, { after, limit }, list, mac, ({ id }) => id, viewOf)
}

export async function getPayment(
  { db, workspaceId }: Context<KnownCaller>,
  paymentId: string,
): Promise<PaymentView> {
  const row = await store.findPayment(db, workspaceId, paymentId)
  if (row === undefined) throw new Failure('payment_not_found')
  return viewOf(row)
}
