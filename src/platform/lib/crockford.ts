/**
 * Crockford's base32: no I, L, O or U. `ids.ts` uses the strict lower-case form of TypeIDs; codes
 * that people read aloud and type use the lenient upper-case form.
 */
import { takeRandomBytes } from './random.ts'

export const CROCKFORD_LOWER = '0123456789abcdefghjkmnpqrstvwxyz'
const CROCKFORD_UPPER = CROCKFORD_LOWER.toUpperCase()

/** `length` random upper-case characters of five bits each. */
export function randomCrockford(length: number): string {
  let text = ''
  // 32 divides 256, so the low five bits of a random byte are unbiased.
  for (const byte of takeRandomBytes(length)) text += CROCKFORD_UPPER.charAt(byte & 31)
  return text
}

/**
 * The canonical upper-case form of exactly `length` characters, or undefined. Case-insensitive;
 * O reads as 0, I and L as 1; single hyphens and spaces between characters are ignored.
 */
export function normaliseCrockford(text: string, length: number): string | undefined {
  if (text.length < length || text.length > 2 * length - 1) return undefined
  if (!/^[0-9A-TV-Za-tv-z](?:[- ]?[0-9A-TV-Za-tv-z])*$/.test(text)) return undefined
  const canonical = text.replace(/[- ]/g, '').toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1')
  return canonical.length === length ? canonical : undefined
}
