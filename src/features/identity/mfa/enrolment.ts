/** Enrols and removes an authenticator, with its recovery codes. */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { newRecoveryCodes, newTotpSecret, otpauthUri } from '../../../platform/access/totp.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import {
  type AccountRow,
  recordOfAccount,
  lockToChange,
  outdateSignIns,
} from '../accounts/account.ts'
import { mailSecurityChange, type SecurityChange } from '../accounts/security-mail.ts'
import {
  clearAttempts,
  clearFactorAttempts,
  reserveAttempt,
  secondFactorTarget,
} from '../attempts/attempt.ts'
import {
  type FactorServices,
  hashRecoveryCode,
  hasSecondFactor,
  matchEncryptedTotp,
  noteRefusal,
  rejected,
  requireProvenFactor,
  encryptTotpSecret,
  withSecondFactor,
} from './second-factor.ts'
import { requireOrdinarySession } from '../sessions/ordinary-session.ts'
import { endSessionsOfUser, noteEnrolment, noteRemoval } from '../sessions/session.ts'
import type { ProveCode } from './schema.ts'
import * as store from './store.ts'

interface ChangeServices extends FactorServices {
  feed: ChangeFeed
  /** The address of the service. */
  origin: () => string
}
type Caller = Pick<UserCaller, 'userId' | 'sessionId' | 'mfa' | 'limitedTo'>

/**
 * The consequences of every change of a factor by its owner: a mail, and the end of other sessions.
 * @returns how many sessions have ended
 */
async function finishChange(
  { keyring, feed }: Pick<ChangeServices, 'keyring' | 'feed'>,
  trx: Transaction,
  origin: Origin,
  { id, email }: Pick<AccountRow, 'id' | 'email'>,
  { change, keep }: { change: SecurityChange; keep: { own: string; others: boolean } },
): Promise<number> {
  await mailSecurityChange({ keyring }, trx, origin, email, change)
  return endSessionsOfUser(feed, trx, id, 'factor_changed', keep)
}

const requireOrdinary = ({ origin }: Pick<ChangeServices, 'origin'>, caller: Caller): void =>
  requireOrdinarySession({ origin, caller }, 'change your authenticator')

/** The session of the caller stays; the others do if the caller says so. */
const kept = ({ sessionId }: Caller, input: ProveCode) => ({
  own: sessionId,
  others: input.end_other_sessions === false,
})

/** Shown by authenticator apps above the code. */
const ISSUER = 'Mooring'

/**
 * Starts enrolment; signing in is unchanged until a code is confirmed. Starting again replaces an
 * unconfirmed secret.
 * @throws Failure mfa_already_enrolled, mfa_required, permission_denied
 */
export async function beginEnrolment(
  services: Pick<ChangeServices, 'db' | 'keyring' | 'origin'>,
  caller: Caller,
): Promise<{ secret: string; otpauth_uri: string }> {
  requireOrdinary(services, caller)
  const { userId } = caller
  const secret = newTotpSecret()
  return services.db.transaction(async (trx) => {
    const account = found(await lockToChange.first(trx, { id: userId }), 'credential_rejected')
    const encrypted = encryptTotpSecret(services.keyring, userId, secret)
    if (!(await store.putUnconfirmedTotp.any(trx, { userId, encryptedSecret: encrypted }))) {
      throw new Failure('mfa_already_enrolled')
    }
    await requireProvenFactor(trx, caller)
    return { secret, otpauth_uri: otpauthUri(secret, account.email, ISSUER) }
  })
}

/** The code of a caller, whose session is known: others do not use up its attempts. */
const givenBy = ({ userId, sessionId }: Caller, { code }: ProveCode) => ({
  userId,
  code,
  source: { session: sessionId },
})

export interface IssuedCodes {
  /** Ten plaintext codes, shown only once. */
  recovery_codes: string[]
  sessions_ended: number
}

async function issueRecoveryCodes(
  keyring: Keyring,
  trx: Transaction,
  userId: string,
): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => hashRecoveryCode(keyring, userId, code))
  await store.replaceRecoveryCodes(trx, userId, hashes)
  return codes
}

/**
 * Completes enrolment with a code of the new authenticator, which is required from then on.
 * @throws Failure mfa_not_enrolled, mfa_already_enrolled, mfa_required, mfa_code_rejected,
 *   too_many_attempts, permission_denied
 */
export async function confirmEnrolment(
  services: ChangeServices,
  origin: Origin,
  caller: Caller,
  input: ProveCode,
): Promise<IssuedCodes> {
  requireOrdinary(services, caller)
  const { db, autonomousDb, keyring } = services
  const { userId } = caller
  const pending = await store.findTotp.first(db, { userId })
  if (pending === undefined) throw new Failure('mfa_not_enrolled')
  if (pending.confirmed_at !== null) throw new Failure('mfa_already_enrolled')
  const source = { session: caller.sessionId }
  const target = secondFactorTarget(keyring, userId, 'totp', source)
  await reserveAttempt(autonomousDb, target)
  const encrypted = pending.sealed_secret
  const step = matchEncryptedTotp(services, userId, encrypted, input.code)
  if (step === undefined) {
    await noteRefusal(autonomousDb, origin, userId, 'totp')
    throw rejected()
  }
  return db.transaction(async (trx) => {
    const account = found(await lockToChange.first(trx, { id: userId }), 'credential_rejected')
    await requireProvenFactor(trx, caller)
    // A concurrent sign-in must not bypass the new factor.
    await outdateSignIns.run(trx, { id: userId })
    if (
      !(await store.confirmTotp.any(trx, { userId, encryptedSecret: encrypted, lastStep: step }))
    ) {
      throw new Failure(
        (await hasSecondFactor(trx, userId)) ? 'mfa_already_enrolled' : 'mfa_not_enrolled',
      )
    }
    await clearAttempts(trx, target)
    const recovery_codes = await issueRecoveryCodes(keyring, trx, userId)
    await recordOfAccount(trx, origin, userId, 'mfa.enrolled')
    await noteEnrolment(services.feed, trx, caller)
    const change = { change: 'mfa_enrolled', keep: kept(caller, input) } as const
    return {
      recovery_codes,
      sessions_ended: await finishChange(services, trx, origin, account, change),
    }
  })
}

async function requireEnrolled(db: Db, userId: string): Promise<void> {
  if (!(await hasSecondFactor(db, userId))) throw new Failure('mfa_not_enrolled')
}

/**
 * Removes the authenticator and its recovery codes.
 * @returns how many other sessions have ended
 * @throws Failure mfa_not_enrolled, mfa_code_rejected, too_many_attempts, permission_denied
 */
export async function removeEnrolment(
  services: ChangeServices,
  origin: Origin,
  caller: Caller,
  input: ProveCode,
): Promise<number> {
  requireOrdinary(services, caller)
  const { userId } = caller
  await requireEnrolled(services.db, userId)
  const given = givenBy(caller, input)
  return withSecondFactor(services, origin, given, 'change', async (trx, account) => {
    await dropEnrolment(services, trx, origin, userId)
    const change = { change: 'mfa_removed', keep: kept(caller, input) } as const
    return finishChange(services, trx, origin, account, change)
  })
}

/** The removal itself; the operator needs no code, if someone has lost authenticator and codes. */
export async function dropEnrolment(
  { keyring, feed }: { keyring: Keyring; feed: ChangeFeed },
  trx: Db,
  origin: Origin,
  userId: string,
): Promise<void> {
  await outdateSignIns.run(trx, { id: userId })
  await store.removeTotp.run(trx, { userId })
  await noteRemoval(feed, trx, userId)
  await clearFactorAttempts(trx, keyring, userId)
  await recordOfAccount(trx, origin, userId, 'mfa.removed')
}

/**
 * Replaces all recovery codes by ten new ones.
 * @throws Failure mfa_not_enrolled, mfa_code_rejected, too_many_attempts, permission_denied
 */
export async function renewRecoveryCodes(
  services: ChangeServices,
  origin: Origin,
  caller: Caller,
  input: ProveCode,
): Promise<IssuedCodes> {
  requireOrdinary(services, caller)
  const { userId } = caller
  await requireEnrolled(services.db, userId)
  const given = givenBy(caller, input)
  return withSecondFactor(services, origin, given, 'change', async (trx, account) => {
    const recovery_codes = await issueRecoveryCodes(services.keyring, trx, userId)
    await recordOfAccount(trx, origin, userId, 'mfa.recovery_codes_renewed')
    const change = { change: 'recovery_codes_renewed', keep: kept(caller, input) } as const
    return {
      recovery_codes,
      sessions_ended: await finishChange(services, trx, origin, account, change),
    }
  })
}

/** Remaining recovery codes; null without an authenticator. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number | null> {
  if (!(await hasSecondFactor(db, userId))) return null
  return (await store.countRecoveryCodes.one(db, { userId })).codes
}
