/**
 * Lets a program on a person's computer sign in, as RFC 8252 describes it for native apps. The
 * program makes a secret and opens the console with its hash; the person allows it there; the
 * browser brings a code to the program's port on the loopback interface, and the program exchanges
 * code and secret for a session. A code that anyone else gets to see is worth nothing without the
 * secret (RFC 7636), and no code ever leaves the person's computer but for this service.
 */
import { createHash } from 'node:crypto'
import type { AnonymousCaller, UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originAs, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { INSTALLATION } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import {
  AUTHORIZATION_CODE_PREFIX,
  hasGoodChecksum,
  issueSecret,
} from '../../../platform/lib/secrets.ts'
import { openSession, type SignedIn } from '../sessions/session.ts'
import type * as schema from './schema.ts'
import * as store from './store.ts'

/** @throws Failure credential_rejected if the session has just ended */
export async function createAuthorizationCode(
  context: Context<UserCaller>,
  { code_challenge }: schema.CreateAuthorizationCode,
): Promise<schema.AuthorizationCode> {
  const { db, keyring, caller } = context
  const code = issueSecret(AUTHORIZATION_CODE_PREFIX)
  await db.transaction(async (trx) => {
    const row = await store.insertCode.first(trx, {
      codeHash: keyring.hashSecret(code),
      codeChallenge: Buffer.from(code_challenge, 'base64url'),
      sessionId: caller.sessionId,
    })
    found(row, 'credential_rejected')
    await record(trx, originOf(context), {
      workspaceId: INSTALLATION,
      action: 'authorization_code.created',
      resource: { kind: 'session', id: formatId('ses', caller.sessionId) },
    })
  })
  return { code, expires_in: store.LIFETIME_SECONDS }
}

const rejected = (): Failure => new Failure('authorization_code_rejected')

/**
 * Opens a session with what was proved in the one in which the code was allowed.
 * @throws Failure authorization_code_rejected, also if another request was faster
 */
export async function exchangeAuthorizationCode(
  context: Context<AnonymousCaller>,
  { code, code_verifier }: schema.ExchangeAuthorizationCode,
): Promise<SignedIn> {
  const { db, keyring, request } = context
  if (!hasGoodChecksum(AUTHORIZATION_CODE_PREFIX, code)) throw rejected()
  const given = {
    codeHash: keyring.hashSecret(code),
    codeChallenge: createHash('sha256').update(code_verifier).digest(),
    limitedTo: request.hostWorkspaceId ?? null,
  }
  const session = await db.transaction(async (trx) => {
    const allowed = await store.takeCode.first(trx, given)
    if (allowed === undefined) return undefined
    const { user_id: userId, passkey_id: passkeyId } = allowed
    return openSession(context, trx, originAs(context, userId), {
      userId,
      version: allowed.sign_in_version,
      mfa: allowed.mfa,
      ...(passkeyId !== null && { passkeyId }),
      userAgent: request.userAgent,
      limitedTo: allowed.limited_to,
      lifetimeSeconds: null,
      authenticatedAt: allowed.authenticated_at,
    })
  })
  if (session === undefined) throw rejected()
  return session
}

/** Deletes codes that nobody can exchange any more. */
export const deleteOldCodes = (db: Db): Promise<void> => store.deleteOldCodes.run(db)
