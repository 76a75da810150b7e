/**
 * Rounds the parts of a month, such as those of several plans: the remainder of one part is added
 * to the next one of the same kind. So the parts of a whole add up to the rounded whole, and nobody
 * gains by many small parts.
 */
import { divideHalfUp } from '../../../platform/lib/currency.ts'

interface Fraction {
  numerator: bigint
  denominator: bigint
}

const NONE: Fraction = { numerator: 0n, denominator: 1n }

function reduced({ numerator, denominator }: Fraction): Fraction {
  let [a, b] = [numerator < 0n ? -numerator : numerator, denominator]
  while (b > 0n) [a, b] = [b, a % b]
  return { numerator: numerator / a, denominator: denominator / a }
}

export type RoundPart = (kind: string, numerator: bigint, denominator: bigint) => number

/** Each part by itself, as invoices were computed that do not say `carries`. */
export const roundAlone: RoundPart = (_kind, numerator, denominator) =>
  divideHalfUp(numerator, denominator)

/** For the parts of one month, in order. Rounds halves up; throws RangeError as `divideHalfUp`. */
export function carriedRounding(): RoundPart {
  const rests = new Map<string, Fraction>()
  return (kind, numerator, denominator) => {
    const rest = rests.get(kind) ?? NONE
    const whole = numerator * rest.denominator + rest.numerator * denominator
    const of = denominator * rest.denominator
    // A rest is half of one at most: less than zero is nearest to zero.
    const result = whole < 0n ? 0 : divideHalfUp(whole, of)
    const left = { numerator: whole - BigInt(result) * of, denominator: of }
    rests.set(kind, reduced(left))
    return result
  }
}
