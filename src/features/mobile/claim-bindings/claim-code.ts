/** One-time claim codes, made to be read aloud and typed. */
import { normaliseCrockford, randomCrockford } from '../../../platform/lib/crockford.ts'

const CLAIM_CODE_PREFIX = 'pc_'
const CLAIM_CODE_CHARACTERS = 10

/** `pc_` and ten Crockford base32 characters in upper case: 50 random bits. */
export const newClaimCode = (): string => CLAIM_CODE_PREFIX + randomCrockford(CLAIM_CODE_CHARACTERS)

/**
 * The canonical form under which a code is stored; undefined if the text is not a claim code.
 * Case-insensitive; O reads as 0, I and L as 1; single hyphens and spaces between characters are
 * ignored.
 */
export function normaliseClaimCode(text: string): string | undefined {
  if (!/^[Pp][Cc]_/.test(text)) return undefined
  const code = normaliseCrockford(text.slice(CLAIM_CODE_PREFIX.length), CLAIM_CODE_CHARACTERS)
  return code === undefined ? undefined : CLAIM_CODE_PREFIX + code
}
