/**
 * Passwords of people: argon2id (RFC 9106) with 19 MiB, two passes, one lane. The number of
 * concurrent and queued hashes is bounded, since each takes 19 MiB and a thread of the shared pool.
 */
import { hash as argonHash, parseOptions, verify as argonVerify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { Failure } from '../errors/errors.ts'
import { takeRandomBytes } from '../lib/random.ts'
import { Semaphore } from '../lib/semaphore.ts'
import { isCommonPassword, isMadeOf } from './common-passwords.ts'

export { canonicalEmail } from './email.ts'

export interface PasswordCost {
  /** KiB. */
  memoryCost: number
  /** Passes. */
  timeCost: number
  /** Lanes. */
  parallelism: number
}

export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** The length of the hash. */
const BYTES = 32
/** The prefix of a PHC string of argon2id 1.3. */
const VARIANT = '$argon2id$v=19$'
/** The minimum for accounts without a second factor (NIST SP 800-63B-4 section 3.1.1.2). */
export const MIN_PASSWORD_ALONE = 15
/** The minimum for accounts with a second factor. */
export const MIN_PASSWORD_WITH_FACTOR = 12
/** The product's name is in many people's first guesses. */
const PRODUCT = 'mooring'
const MAX_PASSWORD_CHARACTERS = 1024
const DEFAULT_QUEUE_LIMIT = 100

export interface PasswordHasherOptions {
  /** `PASSWORD_COST` by default. */
  cost?: PasswordCost | undefined
  /** Concurrent hashes; the number of cores by default. */
  concurrency?: number
  /** Hashes that may queue; 100 by default. */
  queueLimit?: number
}

export interface PasswordHasher {
  /**
   * Returns a PHC string. Rejects with TypeError for a password that `checkPassword` finds too long
   * or malformed.
   */
  hash: (password: string) => Promise<string>
  /** With undefined, for an unknown account, it takes equally long and returns false. */
  verify: (phc: string | undefined, password: string) => Promise<boolean>
  /** Whether the hash was made with other cost parameters than today's. */
  needsRehash: (phc: string) => boolean
}

/** `hash` and `verify` reject with the failure `unavailable` (503) when the queue is full. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  // With more, hashes would take turns on the cores, and evict what the event loop needs from their
  // caches.
  const { concurrency = availableParallelism(), queueLimit = DEFAULT_QUEUE_LIMIT } = options
  const { cost = PASSWORD_COST } = options
  if (!(concurrency >= 1 && queueLimit >= 0)) throw new RangeError('no hash can be computed')
  const turns = new Semaphore({ concurrency, queueLimit, refuse: tooManyWait })
  const dummy = dummyHash(cost)
  return {
    hash: async (password) => {
      if (!isHashable(password)) throw new TypeError('the password is too long or not Unicode')
      return turns.run(() => argonHash(password, { ...cost, outputLen: BYTES }))
    },
    verify: (phc, password) => {
      // No stored hash can match a text that `hash` refuses, but refusing it must take equally
      // long.
      if (!isHashable(password)) return turns.run(() => argonVerify(dummy, ''))
      return turns.run(() => argonVerify(phc ?? dummy, password))
    },
    needsRehash: (phc) => {
      const found = parseOptions(phc)
      return (
        !phc.startsWith(VARIANT) ||
        found.memoryCost !== cost.memoryCost ||
        found.timeCost !== cost.timeCost ||
        found.parallelism !== cost.parallelism ||
        found.outputLen !== BYTES
      )
    },
  }
}

/** A hash of random bits at this cost, which no password matches. */
function dummyHash({ memoryCost, timeCost, parallelism }: PasswordCost): string {
  const base64 = (count: number): string =>
    takeRandomBytes(count).toString('base64').replaceAll('=', '')
  return `${VARIANT}m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(BYTES)}`
}

function tooManyWait(): Failure {
  return new Failure('unavailable', {
    detail: 'Too many sign-ins are in progress.',
    retryAfterSeconds: 1,
  })
}

function tooShort(minCharacters: number): string {
  const rule = `must have at least ${minCharacters} characters`
  if (minCharacters !== MIN_PASSWORD_ALONE) return rule
  return `${rule}, or ${MIN_PASSWORD_WITH_FACTOR} with an authenticator`
}

/** Checks UTF-16 units first, so that a megabyte is refused without being scanned. */
function isTooLong(text: string): boolean {
  if (text.length > 2 * MAX_PASSWORD_CHARACTERS) return true
  return Array.from(text).length > MAX_PASSWORD_CHARACTERS
}

const isHashable = (text: string): boolean =>
  !isTooLong(text) && text.isWellFormed() && !text.includes('\0')

export interface PasswordRule {
  /** 15 by default. */
  minCharacters?: number
  /** Address and names that the password must not be made of. */
  about?: readonly string[]
}

/** Why a new password is not acceptable, as what follows its name; undefined if it is. */
export function checkPassword(
  text: string,
  { minCharacters = MIN_PASSWORD_ALONE, about = [] }: PasswordRule = {},
): string | undefined {
  if (isTooLong(text)) {
    return `must have at most ${MAX_PASSWORD_CHARACTERS} characters`
  }
  if (!text.isWellFormed() || text.includes('\0')) {
    return 'contains a character that cannot be used'
  }
  if (isCommonPassword(text)) {
    return 'is too common: an attacker would try it early'
  }
  if (Array.from(text).length < minCharacters) {
    return tooShort(minCharacters)
  }
  if (isMadeOf(text, [...about, PRODUCT])) {
    return 'is derived from known data of the account: its address, its name, its workspaces or the name of this product'
  }
  return undefined
}
