/** The keys that a serial format makes. The service checks it; this shows what it means. */

/** Characters of Crockford's base32, as the service draws them. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const twoDigits = (value: number): string => String(value).padStart(2, '0')

export interface SerialExample {
  slug: string
  now: Date
  sequence: number
  /** The number of a random character, below 32. */
  random: () => number
}

const letters = (count: number, random: () => number): string =>
  Array.from({ length: count }, () => ALPHABET[random()]).join('')

/** One key; text that is no token stays as it is. */
export function serialExample(format: string, values: SerialExample): string {
  const { slug, now, sequence, random } = values
  const parts: Readonly<Record<string, () => string>> = {
    '%Y': () => String(now.getUTCFullYear()),
    '%M': () => twoDigits(now.getUTCMonth() + 1),
    '%D': () => twoDigits(now.getUTCDate()),
    '%H': () => twoDigits(now.getUTCHours()),
    '%ws': () => slug,
    '%#f': () => String(sequence),
    '%4r': () => letters(4, random),
    '%6r': () => letters(6, random),
  }
  return format.replace(/%(?:ws|#f|4r|6r|[YMDH])/g, (token) => parts[token]?.() ?? token)
}

/**
 * Three keys, always the same ones for the same day, so that they do not flicker while one types.
 */
export function serialExamples(format: string, slug: string, now: Date): string[] {
  return [1, 2, 3].map((sequence) => {
    let seed = sequence * 7919
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % ALPHABET.length
    }
    return serialExample(format, { slug, now, sequence, random })
  })
}
