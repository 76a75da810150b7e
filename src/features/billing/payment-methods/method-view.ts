/** The public view of a payment method. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import type { PaymentMethodView } from './schema.ts'
import type { MethodRow } from './store.ts'

/** @param row an active method */
export const viewOf = (row: MethodRow): PaymentMethodView => ({
  id: formatId('pm', row.id),
  workspace_id: formatId('ws', row.workspace_id),
  type: 'card',
  brand: row.brand ?? '',
  last4: row.last4 ?? '',
  exp_month: row.exp_month ?? 0,
  exp_year: row.exp_year ?? 0,
  is_default: row.is_default,
  created_at: timestamp(row.created_at),
})
