/** Signing in with a password and possibly a second factor, and refreshing the session. */
import { canonicalEmail } from '../../../platform/access/passwords.ts'
import { type AnyContext, originAs, originOf } from '../../../context.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import {
  clearAttempts,
  clearedBy,
  deleteOldAttempts,
  keyOfAccount,
  type Source,
} from '../attempts/attempt.ts'
import {
  CHALLENGE_SECONDS,
  closeChallenge,
  deleteOldChallenges,
  openChallenge,
  takeChallengeTry,
} from '../mfa/challenge.ts'
import { findMethods, rejected, withSecondFactor } from '../mfa/second-factor.ts'
import { deleteOldCodes } from '../authorization-codes/authorization-code.ts'
import { deleteOldLinks } from '../one-time-links/one-time-link.ts'
import { deleteOldChallenges as deleteOldPasskeyChallenges } from '../passkeys/challenge.ts'
import { sourceOf, withinLimitOf } from '../sessions/known-device.ts'
import {
  deleteOldSessions,
  openSession,
  refreshSession,
  type SignedIn,
  type Tokens,
} from '../sessions/session.ts'
import { signInGuarded } from './guarded-sign-in.ts'
import { type CheckedPassword, checkPassword } from './password-proof.ts'
import type { Login, VerifyMfa } from './schema.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { deleteOldSignInCodes } from './store.ts'

/**
 * Counts a request to sign in; that of a device that is not known also for its address at this
 * account.
 * @throws Failure rate_limited
 */
async function withinLimits<Result>(
  context: AnyContext,
  email: string,
  source: Source,
  work: () => Promise<Result>,
): Promise<Result> {
  if ('address' in source) {
    const { rateLimits, keyring } = context
    const scope = `account:${keyOfAccount(keyring, email)}`
    await rateLimits.consumeFrom('auth', source.address, scope)
  }
  return withinLimitOf(context, source, work)
}

export interface FactorStep {
  mfa_required: true
  mfa_token: string
  mfa_methods: Awaited<ReturnType<typeof findMethods>>
  expires_in: number
}

/**
 * Opens a session, or the step to a second factor.
 * @param lifetimeSeconds after which the session ends, however often it is refreshed; null: 90 days
 * @throws Failure invalid_credentials, too_many_attempts, rate_limited
 */
export async function logIn(
  context: AnyContext,
  input: Login,
  lifetimeSeconds: number | null = null,
): Promise<SignedIn | FactorStep> {
  const since = performance.now()
  const email = canonicalEmail(input.email) ?? input.email
  const source = await sourceOf(context, input.known_device_token, (owner) => owner.email === email)
  return withinLimits(context, email, source, async () => {
    const origin = originOf(context)
    const checked = await checkPassword(context, origin, {
      email,
      password: input.password,
      source,
    })
    const { account, isEnough, target } = checked
    if (isEnough) return finishSignIn(context, checked, lifetimeSeconds)
    const as = account === undefined ? origin : originAs(context, account.id)
    const { code } = input
    const given = { account, code, source, target, lifetimeSeconds, since }
    return signInGuarded(context, as, given)
  })
}

/** After a password that is enough if it was right. */
async function finishSignIn(
  context: AnyContext,
  { account, target }: CheckedPassword,
  lifetimeSeconds: number | null,
): Promise<SignedIn | FactorStep> {
  const { db, keyring, request } = context
  if (account === undefined) return refuse('invalid_credentials')
  const { id: userId, sign_in_version: version } = account
  const limitedTo = request.hostWorkspaceId ?? null
  if (!account.mfa) {
    const { userAgent } = request
    const user = { userId, version, mfa: false, userAgent, limitedTo, lifetimeSeconds }
    const session = await openSession(
      context,
      db,
      originAs(context, userId),
      user,
      clearedBy(target),
    )
    return session ?? refuse('invalid_credentials')
  }
  return db.transaction(async (trx) => {
    const token = await openChallenge(keyring, trx, { userId, version, limitedTo })
    // After the account, which is locked first everywhere: two might wait for each other.
    await clearAttempts(trx, target)
    return {
      mfa_required: true,
      mfa_token: token ?? refuse('invalid_credentials'),
      mfa_methods: await findMethods(trx, keyring, userId),
      expires_in: CHALLENGE_SECONDS,
    }
  })
}

/**
 * Verifying takes a while; the account has changed in the meantime. Or it is not a member of the
 * workspace whose domain this is.
 */
function refuse(code: 'invalid_credentials' | 'mfa_code_rejected'): never {
  throw new Failure(code)
}

/**
 * Opens a session with a second factor.
 * @throws Failure mfa_code_rejected, too_many_attempts, rate_limited
 */
export async function verifyMfa(
  context: AnyContext,
  input: VerifyMfa,
  lifetimeSeconds: number | null = null,
): Promise<SignedIn> {
  const { rateLimits, request } = context
  const challenge = await takeChallengeTry(context, input.mfa_token)
  if (challenge === undefined) {
    request.showLimit(await rateLimits.consumeFrom('failures', request.address))
    throw rejected()
  }
  const { challengeId, userId, limitedTo } = challenge
  request.showLimit(await rateLimits.consume('auth', `mfa:${challengeId}`))
  const source = await sourceOf(
    context,
    input.known_device_token,
    (owner) => owner.user_id === userId,
  )
  const origin = originAs(context, userId)
  const given = { userId, code: input.code, source }
  return withSecondFactor(context, origin, given, 'use', async (trx, account) => {
    await closeChallenge(trx, challengeId)
    const { userAgent } = request
    const version = account.sign_in_version
    const user = { userId, version, mfa: true, userAgent, limitedTo, lifetimeSeconds }
    return (await openSession(context, trx, origin, user)) ?? refuse('mfa_code_rejected')
  })
}

/** @throws Failure refresh_token_rejected, refresh_token_reused, rate_limited */
export const refresh = (context: AnyContext, refreshToken: string): Promise<Tokens> =>
  refreshSession(context, originOf(context), refreshToken)

/**
 * Deletes leftovers of signing in: pending steps, old counts, codes and links, ended sessions. May
 * run at any time, in several processes at once.
 */
export async function deleteOldSignIns(db: Db): Promise<void> {
  await deleteOldChallenges(db)
  await deleteOldAttempts(db)
  await deleteOldSessions(db)
  await deleteOldSignInCodes.run(db)
  await deleteOldLinks(db)
  await deleteOldCodes(db)
  await deleteOldPasskeyChallenges(db)
}
