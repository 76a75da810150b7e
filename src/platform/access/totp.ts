/** Second factors: time-based codes (RFC 6238: SHA-1, six digits, 30 s) and recovery codes. */
import { generateSecret, generateSync, generateURI } from 'otplib'
import { normaliseCrockford, randomCrockford } from '../lib/crockford.ts'
import { constantTimeEqual } from '../lib/secrets.ts'

const SECRET_BYTES = 20
const STEP_SECONDS = 30
const RECOVERY_GROUPS = 6
const RECOVERY_GROUP_CHARACTERS = 4
const RECOVERY_CHARACTERS = RECOVERY_GROUPS * RECOVERY_GROUP_CHARACTERS

/** A new shared secret: 160 random bits as 32 characters of RFC 4648 base32. */
export const newTotpSecret = (): string => generateSecret({ length: SECRET_BYTES })

/** The text that an authenticator app reads from a QR code. */
export function otpauthUri(secret: string, account: string, issuer: string): string {
  // The key URI format parts issuer and account by a colon, so neither may hold one.
  const plain = (text: string): string => text.replaceAll(':', ' ').trim()
  return generateURI({ secret, label: plain(account), issuer: plain(issuer) })
}

/** The number of the 30-second step that a moment in milliseconds falls into. */
export const totpStepAt = (nowMs: number): number => Math.floor(nowMs / 1000 / STEP_SECONDS)

/**
 * The time step whose code this is: the present one or the one before it; otherwise undefined. The
 * caller keeps the last step it took and takes only greater ones, so that each is valid once.
 */
export function matchTotpStep(secret: string, code: string, nowMs: number): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const presented = Buffer.from(code, 'latin1')
  const present = totpStepAt(nowMs)
  const matches = (step: number): boolean =>
    constantTimeEqual(Buffer.from(codeOf(secret, step), 'latin1'), presented)
  // Both are computed, so that the time doesn't reveal which one fitted.
  const [isPresent, isPrevious] = [matches(present), present > 0 && matches(present - 1)]
  if (isPresent) return present
  return isPrevious ? present - 1 : undefined
}

const codeOf = (secret: string, step: number): string =>
  generateSync({ secret, epoch: step * STEP_SECONDS })

/** `count` codes of 120 random bits each, `7K2M-…` in six groups of four. */
export const newRecoveryCodes = (count = 10): string[] =>
  Array.from({ length: count }, () => inGroups(randomCrockford(RECOVERY_CHARACTERS)))

/**
 * The one form under which a code is hashed, or undefined when the text is no recovery code.
 * Case, hyphens and spaces between characters don't matter; O reads as 0, I and L as 1.
 */
export function normaliseRecoveryCode(text: string): string | undefined {
  const characters = normaliseCrockford(text, RECOVERY_CHARACTERS)
  return characters === undefined ? undefined : inGroups(characters)
}

function inGroups(characters: string): string {
  const groups: string[] = []
  for (let at = 0; at < characters.length; at += RECOVERY_GROUP_CHARACTERS) {
    groups.push(characters.slice(at, at + RECOVERY_GROUP_CHARACTERS))
  }
  return groups.join('-')
}
