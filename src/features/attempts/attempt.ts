/**
 * Limits guessing of secrets. An attempt is counted before it is checked, in a transaction of its
 * own: parallel guesses, rolled-back requests and killed processes all count. A success resets the
 * count. After ten consecutive failures each attempt has to wait, from 30 seconds up to 15 minutes,
 * so that nobody can be locked out permanently by others' guesses (OWASP ASVS 6.3.1, NIST SP
 * 800-63B-4 section 3.2.2).
 */
import type { Keyring } from '../../access/keyring.ts'
import type { Db } from '../../database/connect.ts'
import { type Failure, limited } from '../../errors.ts'
import * as store from './store.ts'

export type { Factor } from './store.ts'
export { RESERVE_TRY } from './store.ts'

/** Whose secret is guessed, and which one. */
export interface Target {
  subject: Buffer
  factor: store.Factor
}

/**
 * The password of an address, whether or not an account has it, so that responses do not reveal
 * accounts. The address itself is not stored.
 */
export const passwordTarget = (keyring: Keyring, address: string): Target => ({
  subject: keyring.mac('failed-tries', 'address', address),
  factor: 'password',
})

/** A second factor of an account. */
export const secondFactorTarget = (
  keyring: Keyring,
  userId: string,
  factor: 'totp' | 'recovery',
): Target => ({ subject: keyring.mac('failed-tries', 'user', userId), factor })

export const tooManyAttempts = (seconds: number): Failure =>
  limited('too_many_attempts', {
    name: 'failed_attempts',
    value: store.FREE_TRIES,
    resetSeconds: seconds,
  })

/**
 * Counts an attempt before it is checked.
 * @param autonomousDb commits on its own; never the request's transaction
 * @returns the number of consecutive attempts, including this one
 * @throws Failure too_many_attempts
 */
export async function reserveAttempt(autonomousDb: Db, target: Target): Promise<number> {
  const { subject, factor } = target
  return (
    (await store.reserveTry(autonomousDb, subject, factor)) ?? refuseAttempt(autonomousDb, target)
  )
}

/** @throws Failure too_many_attempts for an attempt that could not be counted */
export async function refuseAttempt(autonomousDb: Db, { subject, factor }: Target): Promise<never> {
  throw tooManyAttempts((await store.secondsToWait(autonomousDb, subject, factor)) ?? 1)
}

/** Undoes the count of an attempt that was never checked. */
export const returnAttempt = (autonomousDb: Db, { subject, factor }: Target): Promise<void> =>
  store.giveTryBack(autonomousDb, subject, factor)

/** After a success, in its transaction, so that they commit together. */
export const clearAttempts = (trx: Db, { subject, factor }: Target): Promise<void> =>
  store.clearTries(trx, subject, factor)

export const countAttempts = (db: Db, { subject, factor }: Target): Promise<number> =>
  store.countTries(db, subject, factor)

/** Deletes old counts. */
export const pruneAttempts = (db: Db): Promise<void> => store.pruneTries(db)
