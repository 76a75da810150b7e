/** Proves again, in an open session, that the person who opened it is there (RFC 9470). */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { Failure, found, invalid } from '../../../platform/errors/errors.ts'
import { findById } from '../accounts/account.ts'
import { clearAttempts } from '../attempts/attempt.ts'
import { hasSecondFactor, withSecondFactor } from '../mfa/second-factor.ts'
import { type AccessToken, authenticateAgain } from '../sessions/session.ts'
import { proveOwnPassword } from './password-proof.ts'
import type { Reauthenticate } from './schema.ts'

/**
 * With an authenticator, the password alone proves nothing: anyone who has it still could not sign
 * in.
 * @throws Failure invalid_request, invalid_credentials, mfa_code_rejected, mfa_not_enrolled,
 * too_many_attempts, rate_limited
 */
export async function reauthenticate(
  context: Context<UserCaller>,
  { password, code }: Reauthenticate,
): Promise<AccessToken> {
  const { db, caller } = context
  if (password !== undefined && code !== undefined) {
    throw invalid('/password', 'must be left out if there is a code')
  }
  const isEnrolled = await hasSecondFactor(db, caller.userId)
  if (code !== undefined) {
    if (!isEnrolled) throw new Failure('mfa_not_enrolled')
    return proveCode(context, code)
  }
  if (isEnrolled) throw invalid('/code', 'is missing: this account has an authenticator')
  if (password === undefined) throw invalid('/password', 'is missing')
  return provePassword(context, password)
}

function proveCode(context: Context<UserCaller>, code: string): Promise<AccessToken> {
  const { userId, sessionId } = context.caller
  const origin = originOf(context)
  const given = { userId, code, source: { session: sessionId } }
  return withSecondFactor(context, origin, given, 'use', async (trx, account) => {
    const user = { userId, sessionId, version: account.sign_in_version, mfa: true }
    return found(await authenticateAgain(context, trx, origin, user), 'credential_rejected')
  })
}

async function provePassword(context: Context<UserCaller>, password: string): Promise<AccessToken> {
  const { db } = context
  const { userId, sessionId } = context.caller
  const present = found(await findById.first(db, { id: userId }), 'credential_rejected')
  const origin = originOf(context)
  const { account, target } = await proveOwnPassword(context, origin, {
    email: present.email,
    password,
    session: sessionId,
  })
  return db.transaction(async (trx) => {
    const user = { userId, sessionId, version: account.sign_in_version, mfa: false }
    const token = await authenticateAgain(context, trx, origin, user)
    // Verifying takes a while; the account has changed in the meantime.
    if (token === undefined) throw new Failure('invalid_credentials')
    await clearAttempts(trx, target)
    return token
  })
}
