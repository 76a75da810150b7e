/** Schemas of payment methods. */
import Type, { type Static } from 'typebox'
import { Page } from '../../common/paging.ts'
import { Id, Timestamp } from '../../common/shapes.ts'

export const PaymentMethodView = Type.Object(
  {
    id: Id('pm'),
    workspace_id: Id('ws'),
    type: Type.Enum(['card']),
    brand: Type.String({ description: 'Such as `visa`, in the words of the payment provider.' }),
    last4: Type.String({ description: 'The last four digits.' }),
    exp_month: Type.Integer(),
    exp_year: Type.Integer(),
    is_default: Type.Boolean({ description: 'It pays where no other one is named.' }),
    created_at: Timestamp,
  },
  { title: 'PaymentMethod' },
)
export type PaymentMethodView = Static<typeof PaymentMethodView>

export const PaymentMethodList = Page(PaymentMethodView)

export const PaymentMethodSetup = Type.Object(
  {
    id: Id('pm', 'Of the method that will be in the list.'),
    status: Type.Enum(['pending']),
    provider: Type.String({ description: 'Whose form asks for the card, such as `stripe`.' }),
    client_secret: Type.String({
      description:
        "For the provider's form in the browser, which asks for the card. Shown this once; keep it nowhere.",
    }),
    publishable_key: Type.Union([Type.String(), Type.Null()], {
      description: "For the provider's form, if the operator has configured it.",
    }),
  },
  { title: 'PaymentMethodSetup' },
)
export type PaymentMethodSetup = Static<typeof PaymentMethodSetup>

export const UpdatePaymentMethod = Type.Object({
  is_default: Type.Literal(true, { description: 'Pays from now on where no other one is named.' }),
})
