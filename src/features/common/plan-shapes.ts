/** The schema of a plan, shared by the plans file, the API and the database. */
import Type, { type Static } from 'typebox'
import { Name, NamedObject } from './shapes.ts'

/** The metered quantities, which can be limited and priced. */
export const meters = ['connected_devices', 'messages', 'bytes', 'api_calls'] as const

/** Upper bound of a price or limit, so that products of two are computed exactly. */
const MAX_AMOUNT = 1_000_000_000_000

const Amount = Type.Integer({
  minimum: 0,
  maximum: MAX_AMOUNT,
  description: 'In minor units of the currency (ISO 4217), such as cents.',
})
const limitOf = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_AMOUNT, description }))

export const PlanId = Type.String({ pattern: '^[a-z][a-z0-9-]{0,38}[a-z0-9]$' })

export const Price = Type.Object({
  meter: Type.Enum([...meters]),
  unit: Type.Integer({
    minimum: 1,
    maximum: MAX_AMOUNT,
    description: 'The quantity that `amount` is charged for, such as 1000 messages.',
  }),
  amount: Amount,
  included: Type.Integer({
    minimum: 0,
    maximum: MAX_AMOUNT,
    description: 'The quantity included per month, free of charge.',
  }),
})

export const Plan = NamedObject('Plan', {
  id: PlanId,
  name: Name,
  kind: Type.Enum(['free', 'pay_as_you_go', 'custom']),
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  base_amount: Amount,
  limits: Type.Object({
    connected_devices: limitOf('Devices connected at the same time.'),
    messages_per_month: limitOf('MQTT messages.'),
    bytes_per_month: limitOf('Bytes of MQTT messages.'),
    api_calls_per_month: limitOf('API requests.'),
  }),
  prices: Type.Array(Price, { maxItems: meters.length }),
})
export type Plan = Static<typeof Plan>
