/** Schemas of payment methods. */
import Type, { type Static } from 'typebox'
import { Page } from '../../common/paging.ts'
import { Flag, Id, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

export const PaymentMethodView = NamedObject('PaymentMethod', {
  id: Id('pm'),
  workspace_id: Id('ws'),
  type: Type.Enum(['card']),
  brand: Text('The card brand as named by the payment provider, such as `visa`.'),
  last4: Text('The last four digits.'),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  is_default: Flag('Whether this method is charged if a payment names no other one.'),
  created_at: Timestamp,
})
export type PaymentMethodView = Static<typeof PaymentMethodView>

export const PaymentMethodList = Type.Object({
  ...Page(PaymentMethodView).properties,
  instructions: Nullable(
    Type.String(),
    'Instructions where the operator takes payments manually. Null where methods are charged.',
  ),
})
export type PaymentMethodList = Static<typeof PaymentMethodList>

export const PaymentMethodSetup = NamedObject('PaymentMethodSetup', {
  id: Id('pm', 'The id of the future payment method.'),
  status: Type.Enum(['pending']),
  provider: Text('The payment provider whose form asks for the card, such as `stripe`.'),
  client_secret: Text(
    "For the provider's form in the browser, which asks for the card. Returned only once; do not store it.",
  ),
  publishable_key: Type.Union([Type.String(), Type.Null()], {
    description: "For the provider's form. Present if the operator has configured it.",
  }),
})
export type PaymentMethodSetup = Static<typeof PaymentMethodSetup>

export const UpdatePaymentMethod = Type.Object({
  is_default: Type.Literal(true, {
    description: 'The default method is charged if a payment names no other one.',
  }),
})
