/**
 * People's passwords: argon2id (RFC 9106) with 19 MiB, two passes, one lane. How many hashes run
 * and wait at once is bounded, since each takes 19 MiB and a thread of the shared pool.
 */
import { hash as argonHash, parseOptions, verify as argonVerify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import { Failure } from '../errors.ts'
import { takeRandomBytes } from '../lib/random.ts'
import { isCommonPassword } from './common-passwords.ts'

export { canonicalEmail } from './email.ts'

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 }
/** How a PHC string of argon2id 1.3 begins. */
const VARIANT = '$argon2id$v=19$'
const MIN_PASSWORD_CHARACTERS = 8
const MAX_PASSWORD_CHARACTERS = 1024
const DEFAULT_QUEUE_LIMIT = 100

export interface PasswordHasherOptions {
  /** Hashes in flight; the number of cores unless told. */
  concurrency?: number
  /** Hashes that may wait for their turn; 100 unless told. */
  queueLimit?: number
}

export interface PasswordHasher {
  /**
   * A PHC string. Rejects with TypeError for a password that `checkPassword` finds too long or
   * broken.
   */
  hash: (password: string) => Promise<string>
  /** Undefined for an unknown account: takes the same time and gives false. */
  verify: (phc: string | undefined, password: string) => Promise<boolean>
  /** Whether the hash was made at another cost than today's. */
  needsRehash: (phc: string) => boolean
}

/** `hash` and `verify` reject with the failure `unavailable` (503) when too many others wait. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { concurrency = availableParallelism(), queueLimit = DEFAULT_QUEUE_LIMIT } = options
  const inTurn = createTurnstile(concurrency, queueLimit)
  const dummy = dummyHash()
  return {
    hash: async (password) => {
      if (!isHashable(password)) throw new TypeError('the password is too long or not Unicode')
      return inTurn(() => argonHash(password, COST))
    },
    verify: (phc, password) => {
      // No stored hash can fit a text that `hash` refuses, but finding that out takes as long.
      if (!isHashable(password)) return inTurn(() => argonVerify(dummy, ''))
      return inTurn(() => argonVerify(phc ?? dummy, password))
    },
    needsRehash: (phc) => {
      const found = parseOptions(phc)
      return (
        !phc.startsWith(VARIANT) ||
        found.memoryCost !== COST.memoryCost ||
        found.timeCost !== COST.timeCost ||
        found.parallelism !== COST.parallelism ||
        found.outputLen !== COST.outputLen
      )
    },
  }
}

/** A hash that is random bits, so no password fits it, at exactly today's cost. */
function dummyHash(): string {
  const { memoryCost, timeCost, parallelism, outputLen } = COST
  const base64 = (count: number): string =>
    takeRandomBytes(count).toString('base64').replaceAll('=', '')
  return `${VARIANT}m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(outputLen)}`
}

function tooManyWait(): Failure {
  return new Failure('unavailable', {
    detail: 'Too many people sign in at this moment.',
    retryAfterSeconds: 1,
  })
}

function createTurnstile(
  concurrency: number,
  queueLimit: number,
): <Result>(run: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  if (!(concurrency >= 1 && queueLimit >= 0)) throw new RangeError('no hash could ever run')
  return async (run) => {
    if (running >= concurrency) {
      if (waiting.length >= queueLimit) throw tooManyWait()
      // Who leaves hands the place on, so `running` stays as it is for the one who was waiting.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}

/** Bounded first by UTF-16 units, so that a megabyte is refused without being walked through. */
function isTooLong(text: string): boolean {
  if (text.length > 2 * MAX_PASSWORD_CHARACTERS) return true
  return Array.from(text).length > MAX_PASSWORD_CHARACTERS
}

function isHashable(text: string): boolean {
  return !isTooLong(text) && text.isWellFormed() && !text.includes('\0')
}

/** Why a new password can't be taken, as a sentence for its owner; undefined when it can. */
export function checkPassword(text: string): string | undefined {
  if (isTooLong(text)) {
    return `The password must have at most ${MAX_PASSWORD_CHARACTERS} characters.`
  }
  if (!text.isWellFormed() || text.includes('\0')) {
    return 'The password holds a character that cannot be used.'
  }
  if (Array.from(text).length < MIN_PASSWORD_CHARACTERS) {
    return `The password must have at least ${MIN_PASSWORD_CHARACTERS} characters.`
  }
  if (isCommonPassword(text)) {
    return 'The password is too common: it would be among the first that an attacker tries.'
  }
  return undefined
}
