/** Signing in with a password and possibly a second factor, and refreshing the session. */
import { type Context, originOf } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Origin } from '../../events/event.ts'
import { formatId } from '../../lib/ids.ts'
import { clearAttempts, passwordTarget } from '../attempts/attempt.ts'
import {
  CHALLENGE_SECONDS,
  closeChallenge,
  openChallenge,
  takeChallengeTry,
} from '../second-factors/challenge.ts'
import { findMethods, withSecondFactor } from '../second-factors/second-factor.ts'
import { openSession, refreshSession } from '../sessions/session.ts'
import { provePassword } from './password-proof.ts'
import type { Login, LoginAnswer, TokenAnswer } from './schema.ts'

/** The origin of a request without a credential whose account has just been proven. */
const originAs = (context: Context, userId: string): Origin => ({
  ...originOf(context),
  actor: { kind: 'user', id: formatId('usr', userId) },
})

/**
 * Opens a session, or the step to a second factor.
 * @throws Failure invalid_credentials, too_many_attempts, rate_limited
 */
export async function logIn(context: Context, input: Login): Promise<LoginAnswer> {
  const { db, keyring, request } = context
  const proven = await provePassword(context, originOf(context), input.email, input.password)
  const { id: userId, email, sign_in_version: version } = proven
  const target = passwordTarget(keyring, email)
  if (!proven.mfa) {
    const user = { userId, version, mfa: false, userAgent: request.userAgent }
    const origin = originAs(context, userId)
    const tokens = await openSession(context, db, origin, user, target.subject)
    return tokens ?? refuse('invalid_credentials')
  }
  return db.transaction(async (trx) => {
    const token = await openChallenge(keyring, trx, userId, version)
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

/** Verifying takes a while; the account has changed in the meantime. */
function refuse(code: 'invalid_credentials' | 'mfa_code_rejected'): never {
  throw new Failure(code)
}

/**
 * Opens a session with a second factor.
 * @throws Failure mfa_code_rejected, too_many_attempts
 */
export async function verifyMfa(
  context: Context,
  input: { mfa_token: string; code: string },
): Promise<TokenAnswer> {
  const { challengeId, userId } = await takeChallengeTry(context, input.mfa_token)
  const origin = originAs(context, userId)
  return withSecondFactor(context, origin, userId, input.code, 'use', async (trx, account) => {
    await closeChallenge(trx, challengeId)
    const { userAgent } = context.request
    const user = { userId, version: account.sign_in_version, mfa: true, userAgent }
    return (await openSession(context, trx, origin, user)) ?? refuse('mfa_code_rejected')
  })
}

/** @throws Failure refresh_token_rejected, refresh_token_reused */
export const refresh = (context: Context, refreshToken: string): Promise<TokenAnswer> =>
  refreshSession(context, originOf(context), refreshToken)
