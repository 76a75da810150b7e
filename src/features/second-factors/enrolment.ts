/** Enrols and removes an authenticator, with its recovery codes. */
import { newRecoveryCodes, newTotpSecret, otpauthUri } from '../../access/totp.ts'
import type { Keyring } from '../../access/keyring.ts'
import type { Db, Transaction } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import { INSTALLATION, type Origin } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import { accountResource, lockToChange, outdateSignIns } from '../accounts/account.ts'
import { clearAttempts, reserveAttempt } from '../attempts/attempt.ts'
import {
  type FactorServices,
  hashRecoveryCode,
  hasSecondFactor,
  matchSealedTotp,
  noteRefusal,
  rejected,
  sealTotpSecret,
  totpTarget,
  withSecondFactor,
} from './second-factor.ts'
import * as store from './store.ts'

/** Shown by authenticator apps above the code. */
const ISSUER = 'Mooring'

/**
 * Starts enrolment; signing in is unchanged until a code is confirmed. Starting again replaces an
 * unconfirmed secret.
 * @throws Failure mfa_already_enrolled
 */
export async function beginEnrolment(
  services: { db: Db; keyring: Keyring },
  userId: string,
): Promise<{ secret: string; otpauth_uri: string }> {
  const secret = newTotpSecret()
  return services.db.transaction(async (trx) => {
    const account = await lockToChange(trx, userId)
    if (account === undefined) throw new Failure('credential_rejected')
    const sealed = sealTotpSecret(services.keyring, userId, secret)
    if (!(await store.putUnconfirmedTotp(trx, userId, sealed))) {
      throw new Failure('mfa_already_enrolled')
    }
    return { secret, otpauth_uri: otpauthUri(secret, account.email, ISSUER) }
  })
}

/** Ten plaintext codes, shown only once. */
export interface IssuedCodes {
  recovery_codes: string[]
}

async function issueRecoveryCodes(
  keyring: Keyring,
  trx: Transaction,
  userId: string,
): Promise<IssuedCodes> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(keyring, userId, code))
  await store.replaceRecoveryCodes(trx, userId, hashes)
  return { recovery_codes: codes }
}

/**
 * Completes enrolment with a code of the new authenticator, which is required from then on.
 * @throws Failure mfa_not_enrolled, mfa_already_enrolled, mfa_code_rejected, too_many_attempts
 */
export async function confirmEnrolment(
  services: FactorServices,
  origin: Origin,
  userId: string,
  code: string,
): Promise<IssuedCodes> {
  const { db, autonomousDb, keyring } = services
  const pending = await store.findTotp(db, userId)
  if (pending === undefined) throw new Failure('mfa_not_enrolled')
  if (pending.confirmed_at !== null) throw new Failure('mfa_already_enrolled')
  const target = totpTarget(keyring, userId)
  await reserveAttempt(autonomousDb, target)
  const sealed = pending.sealed_secret
  const step = matchSealedTotp(services, userId, sealed, code)
  if (step === undefined) {
    await noteRefusal(autonomousDb, origin, userId, 'totp')
    throw rejected()
  }
  return db.transaction(async (trx) => {
    // A concurrent sign-in must not bypass the new factor.
    await outdateSignIns(trx, userId)
    if (!(await store.confirmTotp(trx, userId, sealed, step))) {
      throw new Failure(
        (await hasSecondFactor(trx, userId)) ? 'mfa_already_enrolled' : 'mfa_not_enrolled',
      )
    }
    await clearAttempts(trx, target)
    const issued = await issueRecoveryCodes(keyring, trx, userId)
    const resource = accountResource(userId)
    await record(trx, origin, { workspaceId: INSTALLATION, action: 'mfa.enrolled', resource })
    return issued
  })
}

async function demandEnrolled(db: Db, userId: string): Promise<void> {
  if (!(await hasSecondFactor(db, userId))) throw new Failure('mfa_not_enrolled')
}

/**
 * Removes the authenticator and its recovery codes.
 * @throws Failure mfa_not_enrolled, mfa_code_rejected, too_many_attempts
 */
export async function removeEnrolment(
  services: FactorServices,
  origin: Origin,
  userId: string,
  code: string,
): Promise<void> {
  await demandEnrolled(services.db, userId)
  await withSecondFactor(services, origin, userId, code, 'change', (trx) =>
    dropEnrolment(services, trx, origin, userId),
  )
}

/** The same without a code, by the operator, if someone has lost authenticator and codes. */
export async function dropEnrolment(
  { keyring }: { keyring: Keyring },
  trx: Db,
  origin: Origin,
  userId: string,
): Promise<void> {
  await outdateSignIns(trx, userId)
  await store.removeTotp(trx, userId)
  // The next authenticator starts with a fresh count.
  await clearAttempts(trx, totpTarget(keyring, userId))
  const resource = accountResource(userId)
  await record(trx, origin, { workspaceId: INSTALLATION, action: 'mfa.removed', resource })
}

/**
 * Replaces all recovery codes by ten new ones.
 * @throws Failure mfa_not_enrolled, mfa_code_rejected, too_many_attempts
 */
export async function renewRecoveryCodes(
  services: FactorServices,
  origin: Origin,
  userId: string,
  code: string,
): Promise<IssuedCodes> {
  await demandEnrolled(services.db, userId)
  return withSecondFactor(services, origin, userId, code, 'change', async (trx) => {
    const issued = await issueRecoveryCodes(services.keyring, trx, userId)
    await record(trx, origin, {
      workspaceId: INSTALLATION,
      action: 'mfa.recovery_codes_renewed',
      resource: accountResource(userId),
    })
    return issued
  })
}

/** Remaining recovery codes; null without an authenticator. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number | null> {
  return (await hasSecondFactor(db, userId)) ? store.countRecoveryCodes(db, userId) : null
}
