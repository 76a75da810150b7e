/** Validates a plans file beyond its schema, and lists plans. */
import { isCurrency } from '../../../platform/lib/currency.ts'
import type { PlanServices } from './plan-directory.ts'
import type { Plan } from '../../common/plan-shapes.ts'
import type { PlanList, PlansFile } from './schema.ts'

/** The problem of a plan, as a pointer and words; undefined if none. */
function faultOf(plan: Plan, at: string): string | undefined {
  if (!isCurrency(plan.currency)) {
    return `${at}/currency must be a currency of ISO 4217, such as EUR`
  }
  const meters = plan.prices.map(({ meter }) => meter)
  const twice = meters.findIndex((meter, index) => meters.indexOf(meter) !== index)
  if (twice >= 0) return `${at}/prices/${twice}/meter has a price already`
  if (plan.kind !== 'free') return undefined
  if (plan.base_amount !== 0) return `${at}/base_amount must be 0 in a free plan`
  return plan.prices.length === 0 ? undefined : `${at}/prices must be empty in a free plan`
}

/** @returns the problem of a file that matches the schema, naming the member */
export function faultOfPlans({ plans, default_plan }: PlansFile): string | undefined {
  const ids = plans.map(({ id }) => id)
  for (const [index, plan] of plans.entries()) {
    const at = `/plans/${index}`
    if (ids.indexOf(plan.id) !== index) return `${at}/id is the one of another plan`
    const fault = faultOf(plan, at)
    if (fault !== undefined) return fault
  }
  if (default_plan === undefined) return undefined
  const fallback = plans.find(({ id }) => id === default_plan)
  if (fallback === undefined) return '/default_plan must be the id of a plan'
  return fallback.kind === 'free' ? undefined : '/default_plan must be a plan of the kind free'
}

/** Custom plans are not listed: they are agreed with individual customers. */
export function listPlans({ plans }: PlanServices): PlanList {
  return { items: plans.all.filter(({ kind }) => kind !== 'custom'), next_cursor: null }
}
