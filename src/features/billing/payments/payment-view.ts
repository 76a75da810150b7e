/** The public view of a payment, and of the result of requesting one. */
import { formatId } from '../../../platform/lib/ids.ts'
import type { PaymentProvider } from '../../../adapters/payment-provider/port.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { PaymentResult, PaymentView } from './schema.ts'
import type { PaymentRow } from './store.ts'

export const viewOf = (row: PaymentRow): PaymentView => ({
  id: formatId('pay', row.id),
  workspace_id: formatId('ws', row.workspace_id),
  kind: row.kind,
  invoice_id: row.invoice_id && formatId('inv', row.invoice_id),
  payment_method_id: row.method_id && formatId('pm', row.method_id),
  provider: row.provider,
  status: row.status,
  amount: row.amount,
  currency: row.currency,
  credited_to: row.credited_to,
  reversed: row.reversed,
  failure:
    row.failure_code === null
      ? null
      : { code: row.failure_code, message: row.failure_message ?? '' },
  created_by: row.created_by,
  created_at: timestamp(row.created_at),
  ended_at: timestampOrNull(row.ended_at),
})

function statusOf({ status }: PaymentRow): PaymentResult['status'] {
  if (status === 'succeeded' || status === 'refunded') return 'paid'
  if (status === 'failed' || status === 'requires_action') return status
  return 'processing'
}

/** @param clientSecret while the payer has to act */
export function resultOf(
  row: PaymentRow,
  provider: PaymentProvider,
  clientSecret?: string,
): PaymentResult {
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
): PaymentResult => ({
  status,
  payment: null,
  client_secret: null,
  publishable_key: null,
  instructions,
})
