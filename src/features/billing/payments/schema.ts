/** Schemas of payments. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

/** The provider's limit per payment: eight digits. */
const MAX_AMOUNT = 99_999_999

const kinds = ['invoice', 'top_up'] as const
const statuses = [
  'created',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'refunded',
] as const

export const PaymentView = NamedObject('Payment', {
  id: Id('pay'),
  workspace_id: Id('ws'),
  kind: Type.Enum([...kinds]),
  invoice_id: Nullable(Id('inv')),
  payment_method_id: Nullable(Id('pm')),
  provider: Text('`stripe`, or `balance` for payments from the prepaid balance.'),
  status: Type.Enum([...statuses]),
  amount: Integer('In minor units of the currency.'),
  currency: Text('ISO 4217.'),
  credited_to: Nullable(
    Type.Enum(['invoice', 'balance']),
    'A payment for an invoice that is already paid or void is added to the prepaid balance.',
  ),
  reversed: Integer('Amount returned to the payer by refunds and disputes, in minor units.'),
  failure: Nullable(
    Type.Object({
      code: Text('The message of the payment provider.'),
      message: Type.String(),
    }),
  ),
  created_by: Type.String(),
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
export type PaymentView = Static<typeof PaymentView>

export const PaymentPage = Page(PaymentView)

export const paymentFields: ListFields = {
  status: { type: 'word', words: statuses },
  kind: { type: 'word', words: kinds },
  invoice_id: { type: 'id', prefix: 'inv' },
  'failure.code': { type: 'text' },
  created_by: { type: 'text' },
  created_at: { type: 'time' },
  ended_at: { type: 'time' },
}

export const ListPayments = Type.Object({
  ...pageQuery,
  filter: FilterText(paymentFields),
  invoice_id: Type.Optional(Id('inv', 'Only payments of this invoice.')),
})
export type ListPayments = Static<typeof ListPayments>

export const PaymentResult = NamedObject('PaymentResult', {
  status: Type.Enum(['paid', 'processing', 'requires_action', 'failed', 'by_hand'], {
    description:
      '`processing`: poll again later, or wait for the event. `requires_action`: the payer must confirm it in the browser. `by_hand`: see `instructions`.',
  }),
  payment: Nullable(PaymentView),
  client_secret: Nullable(
    Type.String(),
    "For the provider's form in the browser, while action is required.",
  ),
  publishable_key: Nullable(Type.String(), "For the provider's form."),
  instructions: Nullable(Type.String(), 'Payment instructions, if no method is charged.'),
})
export type PaymentResult = Static<typeof PaymentResult>

export const PaymentToken = NamedObject('PaymentToken', {
  token: Type.String(),
  expires_in: Integer('In seconds.'),
})
export type PaymentToken = Static<typeof PaymentToken>

const method = Type.Optional(Id('pm', 'Default: the default method.'))

export const PayInvoice = Type.Object({ payment_method_id: method })
export type PayInvoice = Static<typeof PayInvoice>

export const TopUp = Type.Object({
  amount: Type.Integer({
    minimum: 1,
    maximum: MAX_AMOUNT,
    description: 'In minor units of the currency of the workspace, such as cents.',
  }),
  payment_method_id: method,
})
export type TopUp = Static<typeof TopUp>
