/** Enrols and removes an authenticator, with its recovery codes. */
import { type Context, originOf } from '../../../context.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import { newRecoveryCodes, newTotpSecret, otpauthUri } from '../../../platform/access/totp.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import {
  type AccountRow,
  recordOfAccount,
  lockOwnAccount,
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

type Own = Context<UserCaller>

/**
 * The consequences of every change of a factor by its owner: a mail, and the end of other sessions,
 * which stay if the caller says so.
 * @returns how many sessions have ended
 */
async function finishChange(
  context: Own,
  trx: Transaction,
  { id, email }: Pick<AccountRow, 'id' | 'email'>,
  change: SecurityChange,
  input: ProveCode,
): Promise<number> {
  await mailSecurityChange(context, trx, originOf(context), email, change)
  const keep = { own: context.caller.sessionId, others: input.end_other_sessions === false }
  return endSessionsOfUser(context.feed, trx, id, 'factor_changed', keep)
}

const requireOrdinary = (context: Own): void =>
  requireOrdinarySession(context, 'change your authenticator')

/** Shown by authenticator apps above the code. */
const ISSUER = 'Mooring'

/**
 * Starts enrolment; signing in is unchanged until a code is confirmed. Starting again replaces an
 * unconfirmed secret.
 * @throws Failure mfa_already_enrolled, mfa_required, permission_denied
 */
export async function beginEnrolment(
  context: Own,
): Promise<{ secret: string; otpauth_uri: string }> {
  requireOrdinary(context)
  const { db, keyring, caller } = context
  const { userId } = caller
  const secret = newTotpSecret()
  return db.transaction(async (trx) => {
    const account = await lockOwnAccount(trx, caller)
    const encrypted = encryptTotpSecret(keyring, userId, secret)
    if (!(await store.putUnconfirmedTotp.any(trx, { userId, encryptedSecret: encrypted }))) {
      throw new Failure('mfa_already_enrolled')
    }
    await requireProvenFactor(trx, caller)
    return { secret, otpauth_uri: otpauthUri(secret, account.email, ISSUER) }
  })
}

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
  await store.replaceRecoveryCodes.run(trx, { userId, hashes })
  return codes
}

/**
 * Completes enrolment with a code of the new authenticator, which is required from then on.
 * @throws Failure mfa_not_enrolled, mfa_already_enrolled, mfa_required, mfa_code_rejected,
 *   too_many_attempts, permission_denied
 */
export async function confirmEnrolment(context: Own, input: ProveCode): Promise<IssuedCodes> {
  requireOrdinary(context)
  const { db, autonomousDb, keyring, feed, caller } = context
  const { userId, sessionId } = caller
  const origin = originOf(context)
  const pending = await store.findTotp.first(db, { userId })
  if (pending === undefined) throw new Failure('mfa_not_enrolled')
  if (pending.confirmed_at !== null) throw new Failure('mfa_already_enrolled')
  const target = secondFactorTarget(keyring, userId, 'totp', { session: sessionId })
  await reserveAttempt(autonomousDb, target)
  const encrypted = pending.sealed_secret
  const step = matchEncryptedTotp(context, userId, encrypted, input.code)
  if (step === undefined) {
    await noteRefusal(autonomousDb, origin, userId, 'totp')
    throw rejected()
  }
  return db.transaction(async (trx) => {
    const account = await lockOwnAccount(trx, caller)
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
    await noteEnrolment(feed, trx, caller)
    const sessions_ended = await finishChange(context, trx, account, 'mfa_enrolled', input)
    return { recovery_codes, sessions_ended }
  })
}

/** A change of an enrolled factor by its owner, who proves it with a code. */
async function changeEnrolled<Result extends object>(
  context: Own,
  input: ProveCode,
  change: SecurityChange,
  work: (trx: Transaction, origin: Origin) => Promise<Result>,
): Promise<Result & { sessions_ended: number }> {
  requireOrdinary(context)
  const { db, caller } = context
  const { userId, sessionId } = caller
  if (!(await hasSecondFactor(db, userId))) throw new Failure('mfa_not_enrolled')
  const origin = originOf(context)
  // The session is known: others do not use up its attempts.
  const given = { userId, code: input.code, source: { session: sessionId } }
  return withSecondFactor(context, origin, given, 'change', async (trx, account) => {
    const result = await work(trx, origin)
    const sessions_ended = await finishChange(context, trx, account, change, input)
    return { ...result, sessions_ended }
  })
}

/**
 * Removes the authenticator and its recovery codes.
 * @throws Failure mfa_not_enrolled, mfa_code_rejected, too_many_attempts, permission_denied
 */
export const removeEnrolment = (
  context: Own,
  input: ProveCode,
): Promise<{ sessions_ended: number }> =>
  changeEnrolled(context, input, 'mfa_removed', async (trx, origin) => {
    await dropEnrolment(context, trx, origin, context.caller.userId)
    return {}
  })

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
export const renewRecoveryCodes = (context: Own, input: ProveCode): Promise<IssuedCodes> =>
  changeEnrolled(context, input, 'recovery_codes_renewed', async (trx, origin) => {
    const { userId } = context.caller
    const recovery_codes = await issueRecoveryCodes(context.keyring, trx, userId)
    await recordOfAccount(trx, origin, userId, 'mfa.recovery_codes_renewed')
    return { recovery_codes }
  })

/** Remaining recovery codes; null without an authenticator. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number | null> {
  if (!(await hasSecondFactor(db, userId))) return null
  return (await store.countRecoveryCodes.one(db, { userId })).codes
}
