/**
 * Limits guessing of secrets, first by the source of the guesses, so that nobody can lock others
 * out. An attempt is counted before it is checked, in a transaction of its own: parallel guesses,
 * rolled-back requests and killed processes all count. A success resets the counts.
 *
 * - A source is an address block, or a device that has signed in to the account before. After ten
 *   consecutive failures each attempt of that source has to wait, from 30 seconds up to an hour.
 * - All sources that are not known devices share a budget for each password, and for each
 *   authenticator: 50 failures, and 48 more a day.
 *
 * docs/decisions/0059-counting-failed-attempts.md has the numbers (OWASP ASVS 5.0 6.1.1 and 6.3.1,
 * NIST SP 800-63B-4 section 3.2.2).
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type Failure, limited } from '../../../platform/errors/errors.ts'
import { addressBlocks } from '../../../platform/lib/address-block.ts'
import * as store from './store.ts'

export type { CountKeys, Factor } from './store.ts'
export { RESERVE_PASSWORD_TRY } from './store.ts'

/** Where an attempt comes from: an address, or a device known by one of its sessions. */
export type Source = { address: string } | { session: string }

/** The secret that is guessed, and the counters of its owner and of the source. */
export interface Target<F extends store.Factor = store.Factor> {
  factor: F
  keys: store.CountKeys
}

const wholeOfPassword = (keyring: Keyring, email: string): Buffer =>
  keyring.mac('failed-tries', 'address', email)

const wholeOfFactors = (keyring: Keyring, userId: string): Buffer =>
  keyring.mac('failed-tries', 'user', userId)

function targetOf<F extends store.Factor>(
  keyring: Keyring,
  factor: F,
  whole: Buffer,
  source: Source,
): Target<F> {
  // Begins with `whole`, so that all counts of a secret can be found.
  const subject = (kind: string, name: string): Buffer =>
    Buffer.concat([whole, keyring.mac('failed-tries', factor, whole, kind, name)])
  if ('session' in source) {
    const sources = [subject('session', source.session)]
    return { factor, keys: { sources, starts: [1], whole, isKnown: true } }
  }
  const counts = addressBlocks(source.address)
    .map(({ name, budget }) => ({
      subject: subject('block', name),
      start: 1 - (budget - 1) * store.FREE_TRIES,
    }))
    .sort((one, other) => Buffer.compare(one.subject, other.subject))
  const sources = counts.map((each) => each.subject)
  const starts = counts.map(({ start }) => start)
  return { factor, keys: { sources, starts, whole, isKnown: false } }
}

/**
 * The password of an address, whether or not an account has it, so that responses do not reveal
 * accounts. The address itself is not stored.
 */
export const passwordTarget = (
  keyring: Keyring,
  email: string,
  source: Source,
): Target<'password'> => targetOf(keyring, 'password', wholeOfPassword(keyring, email), source)

/** A second factor of an account. */
export const secondFactorTarget = <F extends 'totp' | 'recovery'>(
  keyring: Keyring,
  userId: string,
  factor: F,
  source: Source,
): Target<F> => targetOf(keyring, factor, wholeOfFactors(keyring, userId), source)

/** Consecutive failures at an account's authenticator, from everywhere. */
export async function countTotpFailures(db: Db, keyring: Keyring, userId: string): Promise<number> {
  const subject = wholeOfFactors(keyring, userId)
  return (await store.countTries.first(db, { subject, factor: 'totp' }))?.tries ?? 0
}

/** After the password was replaced. */
export const clearPasswordAttempts = (trx: Db, keyring: Keyring, email: string): Promise<void> =>
  store.clearAllTries.run(trx, { subject: wholeOfPassword(keyring, email) })

/** After the authenticator was removed: the next one starts with a fresh count. */
export const clearFactorAttempts = (trx: Db, keyring: Keyring, userId: string): Promise<void> =>
  store.clearAllTries.run(trx, { subject: wholeOfFactors(keyring, userId) })

/** Names the password of an address in rate limits, without the address. */
export const keyOfAccount = (keyring: Keyring, email: string): string =>
  wholeOfPassword(keyring, email).toString('base64url')

/** The counts of one source alone. */
export const sourceCountsOf = ({ keys: { sources } }: Target): Buffer[] => sources

/** The counts that a success clears; that of a known device says nothing about other sources. */
export function clearedBy({ factor, keys: { sources, whole, isKnown } }: Target): Buffer[] {
  const isCountedWhole = factor === 'totp' || (factor === 'password' && !isKnown)
  return isCountedWhole ? [...sources, whole] : [...sources]
}

export function tooManyAttempts(seconds: number): Failure {
  const resetSeconds = Math.max(1, Math.ceil(seconds))
  return limited(
    'too_many_attempts',
    { name: 'failed_attempts', value: store.FREE_TRIES, resetSeconds },
    { detail: `Too many failed attempts: try again in ${resetSeconds} s.` },
  )
}

/** Without revealing whether the password was right. */
export const tooManyForAccount = (): Failure =>
  limited(
    'too_many_attempts',
    {
      name: 'failed_attempts_of_account',
      value: store.PASSWORD_BUDGET,
      resetSeconds: store.DECAY_SECONDS,
    },
    {
      detail:
        'Too many failed attempts for this account from all addresses. Send a `code` as well: from the authenticator, a recovery code, or, without an authenticator, the code that is sent by e-mail after a correct password.',
    },
  )

/**
 * Counts an attempt at a second factor before it is checked.
 * @param autonomousDb commits on its own; never the request's transaction
 * @returns the number of consecutive attempts at an authenticator, including this one
 * @throws Failure too_many_attempts
 */
export async function reserveAttempt(
  autonomousDb: Db,
  target: Target<'totp' | 'recovery'>,
): Promise<number> {
  const tries = await store.reserveTry(autonomousDb, target.factor, target.keys)
  return tries ?? refuseAttempt(autonomousDb, target)
}

/** @throws Failure too_many_attempts for an attempt that could not be counted */
export async function refuseAttempt(
  autonomousDb: Db,
  { factor, keys: { sources, whole, isKnown } }: Target,
): Promise<never> {
  const shared = factor === 'totp' && !isKnown ? whole : null
  const { seconds } = await store.secondsToWait.one(autonomousDb, { sources, whole: shared })
  throw tooManyAttempts(seconds ?? 1)
}

/**
 * Undoes the count of an attempt that was never checked.
 * @param isInBudget whether it was counted for all sources as well
 */
export const returnAttempt = (
  autonomousDb: Db,
  target: Target,
  isInBudget: boolean,
): Promise<void> =>
  store.giveTryBack.run(autonomousDb, {
    subjects: isInBudget ? clearedBy(target) : sourceCountsOf(target),
  })

/** After a success, in its transaction, so that they commit together. */
export const clearAttempts = (trx: Db, target: Target): Promise<void> =>
  store.clearTries.run(trx, { subjects: clearedBy(target) })

/** Deletes old counts. */
export const deleteOldAttempts = (db: Db): Promise<void> => store.deleteOldTries.run(db)
