/** Amounts of money, and what a plan would cost for some use. */
import type { Plan, UsagePeriod } from '../../../sdk/schema.ts'
import { language } from '../i18n/language.ts'

export type Meter = Plan['prices'][number]['meter']

export type Used = Pick<UsagePeriod, Meter>

const formatOf = (currency: string): Intl.NumberFormat =>
  new Intl.NumberFormat(language, { style: 'currency', currency })

/** @param amount in minor units, of which the currency knows how many there are */
export function moneyText(amount: number, currency: string): string {
  const format = formatOf(currency)
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(amount / 10 ** digits)
}

/** The amount that a person has typed, in minor units; undefined if it is none. */
export function minorOf(text: string, currency: string): number | undefined {
  const digits = formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2
  const [, whole, fraction = ''] = /^(\d{1,8})(?:[.,](\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > digits) return undefined
  return Number(whole + fraction.padEnd(digits, '0'))
}

/**
 * Price of a whole month with this use: the base, and what is beyond what is included. Each meter
 * is rounded half up, and exactly, as on an invoice: bytes times a price can be beyond 2^53.
 */
export function monthlyPrice({ base_amount, prices }: Plan, used: Used): number {
  const beyond = prices.map(({ meter, unit, amount, included }) => {
    const charged = BigInt(Math.max(0, used[meter] - included)) * BigInt(amount)
    return Number((2n * charged + BigInt(unit)) / (2n * BigInt(unit)))
  })
  return beyond.reduce((sum, each) => sum + each, base_amount)
}

export const HOUR_MS = 3_600_000

/** How many hours of the month (UTC) are left, with the present one, and how many it has. */
export function restOfMonth(at: number): { hours: number; all: number } {
  const now = new Date(at)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const end = Date.UTC(year, month + 1)
  const hour = Math.floor(at / HOUR_MS) * HOUR_MS
  return { hours: (end - hour) / HOUR_MS, all: (end - Date.UTC(year, month)) / HOUR_MS }
}
