/** Schemas of the plans file and of the list of plans. */
import Type, { type Static } from 'typebox'
import { meters, Plan, PlanId, Price } from '../../common/plan-shapes.ts'

const closed = { additionalProperties: false }

/** The plans file; unknown members are refused. */
export const PlansFile = Type.Object({
  $schema: Type.Optional(Type.String({ maxLength: 500 })),
  default_plan: Type.Optional(PlanId),
  plans: Type.Array(
    Type.Object(
      {
        ...Plan.properties,
        limits: Type.Object(Plan.properties.limits.properties, closed),
        prices: Type.Array(Type.Object(Price.properties, closed), { maxItems: meters.length }),
      },
      closed,
    ),
    { minItems: 1, maxItems: 1_000 },
  ),
})
export type PlansFile = Static<typeof PlansFile>

export const PlanList = Type.Object({
  items: Type.Array(Plan),
  next_cursor: Type.Null({ description: 'There is only one page.' }),
})
export type PlanList = Static<typeof PlanList>
