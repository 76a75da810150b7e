/**
 * How often a secret may be guessed. A try is counted before it is checked, in a transaction of its
 * own: guesses that run in parallel, requests that are rolled back and processes that are killed
 * all count. A success starts again from zero; after ten failures in a row each further try has to
 * wait, 30 seconds at first and never more than 15 minutes, so that nobody can be locked out for
 * good by guesses of others (OWASP ASVS 6.3.1, NIST SP 800-63B-4 section 3.2.2).
 */
import type { Keyring } from '../../access/keyring.ts'
import type { Db } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import * as store from './store.ts'

export type { Factor } from './store.ts'

/** Who is guessed at, and which of their secrets. */
export interface Target {
  subject: Buffer
  factor: store.Factor
}

/**
 * The password of an address, whether or not an account has it: what a stranger sees must not
 * depend on that. The address itself isn't stored.
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
  new Failure('too_many_attempts', { retryAfterSeconds: seconds })

/**
 * Counts a try that is about to be checked.
 * @param side commits by itself; never the transaction of the request.
 * @returns how many tries there were in a row, with this one.
 * @throws Failure too_many_attempts
 */
export async function reserveAttempt(side: Db, target: Target): Promise<number> {
  const { subject, factor } = target
  const tries = await store.reserveTry(side, subject, factor)
  if (tries !== undefined) return tries
  throw tooManyAttempts((await store.secondsToWait(side, subject, factor)) ?? 1)
}

/** Takes back a try that came to nothing before it was checked. */
export const returnAttempt = (side: Db, { subject, factor }: Target): Promise<void> =>
  store.giveTryBack(side, subject, factor)

/** After a success; in its transaction, so that both are there or none is. */
export const clearAttempts = (trx: Db, { subject, factor }: Target): Promise<void> =>
  store.clearTries(trx, subject, factor)

export const countAttempts = (db: Db, { subject, factor }: Target): Promise<number> =>
  store.countTries(db, subject, factor)

/** Forgets what is long past. */
export const pruneAttempts = (db: Db): Promise<void> => store.pruneTries(db)
