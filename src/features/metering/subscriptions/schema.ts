/** Schemas of subscriptions. */
import Type, { type Static } from 'typebox'
import { Plan, PlanId } from '../../common/plan-shapes.ts'
import { Flag, Integer, Name, NamedObject, Nullable, Time } from '../../common/shapes.ts'

const Lines = Type.String({
  minLength: 1,
  maxLength: 1_000,
  // Allows line feeds, which separate address lines.
  pattern: '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]+$',
})

export const BillingDetails = Type.Object(
  {
    name: Type.Optional(Name),
    address: Type.Optional(Lines),
    tax_id: Type.Optional(Name),
    email: Type.Optional(Type.String({ maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$' })),
  },
  {
    additionalProperties: false,
    description: 'The payer as printed on invoices. The default name is that of the workspace.',
  },
)
export type BillingDetails = Static<typeof BillingDetails>

export const PutSubscription = Type.Object({
  plan_id: PlanId,
  billing_details: Type.Optional(BillingDetails),
})
export type PutSubscription = Static<typeof PutSubscription>

export const SubscriptionView = NamedObject('Subscription', {
  plan: Type.Union([Plan, Type.Null()], {
    description:
      'The plan as chosen. Its prices apply to this workspace until a plan is chosen again. Null: no limits and no prices.',
  }),
  is_default: Flag('Whether the plan was assigned by default and never chosen.'),
  is_current: Flag(
    'Whether the plan is still offered unchanged. If not, choosing it again adopts the changes.',
  ),
  starts_at: Nullable(
    Time('The time from which its prices are charged. It can be the start of the next hour.'),
  ),
  currency: Nullable(
    Type.String(),
    'The currency of the first plan with a price. It cannot change.',
  ),
  tax: Nullable(
    Type.Object({
      name: Type.String(),
      rate_bp: Integer('In basis points: 1900 is 19 %.'),
    }),
  ),
  billing_details: BillingDetails,
})
export type SubscriptionView = Static<typeof SubscriptionView>
