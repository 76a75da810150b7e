/**
 * The amounts of an invoice, as a pure function of plans, usage and tax: it can be recomputed
 * exactly as long as those are kept.
 */
import { monthOf } from '../../../platform/lib/billing-time.ts'
import { HOUR_MS } from '../../../platform/lib/time.ts'
import { divideHalfUp } from '../../../platform/lib/currency.ts'
import type { Plan } from '../../common/plan-shapes.ts'
import { timestamp } from '../../common/shapes.ts'
import type { Tax, Term } from '../../metering/subscriptions/subscription-lock.ts'
import { carriedRounding, type RoundPart, roundAlone } from './carried-rounding.ts'
import type { InvoiceLine } from './schema.ts'

type PricedMeter = Plan['prices'][number]['meter']
export type Use = Readonly<Record<PricedMeter, number>>

/** A plan, and the usage while it was in effect. */
export interface UsedTerm extends Term {
  use: Use
}

const names: Readonly<Record<PricedMeter, string>> = {
  connected_devices: 'Connected devices (peak)',
  messages: 'Messages',
  bytes: 'Bytes of messages',
  api_calls: 'API calls',
}

/** Gauges are charged by the hour, counters once. */
const lasts = (meter: InvoiceLine['meter']): boolean =>
  meter === 'base' || meter === 'connected_devices'

export const hasPrice = ({ kind, base_amount, prices }: Plan): boolean =>
  kind !== 'free' && (base_amount > 0 || prices.length > 0)

function amountOf(line: Omit<InvoiceLine, 'amount'>, round: RoundPart): number {
  const charged = BigInt(Math.max(0, line.quantity - line.included))
  return round(
    `amount ${line.meter}`,
    charged * BigInt(line.unit_amount) * BigInt(line.hours),
    BigInt(line.unit) * BigInt(line.of_hours),
  )
}

type Priced = Pick<
  InvoiceLine,
  'meter' | 'description' | 'quantity' | 'included' | 'unit' | 'unit_amount'
>

const pricedOf = ({ plan, use }: UsedTerm): Priced[] => [
  ...(plan.base_amount === 0
    ? []
    : [
        {
          meter: 'base' as const,
          description: plan.name,
          quantity: 1,
          included: 0,
          unit: 1,
          unit_amount: plan.base_amount,
        },
      ]),
  ...plan.prices.map(({ meter, unit, amount, included }) => ({
    meter,
    description: names[meter],
    quantity: use[meter],
    included,
    unit,
    unit_amount: amount,
  })),
]

/** The lines of one plan. Part of a month includes the same part of the month's allowance. */
function linesOfTerm(term: UsedTerm, monthHours: number, round: RoundPart): InvoiceLine[] {
  const { plan, from, to } = term
  const hours = (to - from) / HOUR_MS
  return pricedOf(term).map((priced) => {
    const isLasting = lasts(priced.meter)
    const line = {
      plan_id: plan.id,
      ...priced,
      from: timestamp(from),
      to: timestamp(to),
      included: isLasting
        ? priced.included
        : round(
            `included ${priced.meter}`,
            BigInt(priced.included) * BigInt(hours),
            BigInt(monthHours),
          ),
      hours: isLasting ? hours : 1,
      of_hours: isLasting ? monthHours : 1,
    }
    return { ...line, amount: amountOf(line, round) }
  })
}

export interface Amounts {
  lines: InvoiceLine[]
  subtotal: number
  tax_amount: number
  total: number
}

/**
 * @param month its start and end in milliseconds. It may start late if a workspace was deleted and
 * restored; prices are prorated to the whole month.
 * @param carries false for invoices that were issued when each line was rounded by itself
 */
export function amountsOf(
  terms: readonly UsedTerm[],
  month: { from: number; to: number },
  tax: Tax | undefined,
  carries = true,
): Amounts {
  const monthHours = (month.to - monthOf(month.from)) / HOUR_MS
  const round = carries ? carriedRounding() : roundAlone
  const lines = terms.flatMap((term) => linesOfTerm(term, monthHours, round))
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0)
  const tax_amount = divideHalfUp(BigInt(subtotal) * BigInt(tax?.rate_bp ?? 0), 10_000n)
  return { lines, subtotal, tax_amount, total: subtotal + tax_amount }
}
