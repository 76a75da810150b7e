/**
 * Resolves a console user's access token. A valid signature is not enough: the session must be live
 * and the account active; and the role in a workspace is the lesser of the token's and that of the
 * current membership.
 */
import type { Claims, TokenIssuer } from '../../../platform/access/jwt.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import { type PaymentGrant, readPaymentToken } from '../../../platform/access/payment-token.ts'
import { narrower, type Role, roles } from '../../../platform/access/permissions.ts'
import type { UserCaller } from '../../../platform/access/principal.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import { formatId, parseId } from '../../../platform/lib/ids.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { SigningKeys } from '../signing-keys/signing-key.ts'
import { verifyAccessToken } from '../signing-keys/token-verification.ts'
import { type AdmittedSession, findAdmittedSession } from './store.ts'
import type { Services } from '../../../context.ts'

export interface UserAuthentication {
  /** The caller; undefined for an invalid token or an ended session. */
  authenticate(token: string): MaybePromise<UserCaller | undefined>
  /** The same for a token that only pays, in one workspace. */
  authenticatePayer(token: string): MaybePromise<UserCaller | undefined>
  /** The caller with its present rights; undefined once the session has ended. */
  presentOf(caller: UserCaller): Promise<UserCaller | undefined>
}

export interface UserAuthenticationOptions extends Pick<Services, 'clock' | 'db' | 'feed'> {
  keyring: Keyring
  tokens: TokenIssuer
  signingKeys: Pick<SigningKeys, 'keys' | 'learn'>
  /** Whether the installation requires a second factor of everyone. */
  mfaRequired: boolean
}

interface Admitted extends AdmittedSession {
  sessionId: string
}

const MAX_CACHED_SESSIONS = 50_000
/** Allowed clock skew between token and membership timestamps. */
const CLOCK_LEEWAY_MS = 60_000

const isRole = (value: unknown): value is Role => roles.some((role) => role === value)

/**
 * The user's roles. A workspace that the token does not name counts only if the user joined it
 * after the token was issued, as its creator does.
 */
function rolesOf(claims: Claims, session: Admitted): Map<string, Role> {
  const claimed = claims.workspaces as Readonly<Record<string, unknown>> | undefined
  const found = new Map<string, Role>()
  for (const { workspace_id: id, role, created_at: since, active } of session.memberships) {
    if (!active) continue
    const limit = claimed?.[formatId('ws', id)]
    if (isRole(limit)) found.set(id, narrower(limit, role))
    else if (claimed === undefined || since + CLOCK_LEEWAY_MS >= claims.iat * 1000) {
      found.set(id, role)
    }
  }
  return found
}

/** Where a second factor is required, unless it has been proved. */
function missingFactor(
  { mfa, memberships }: Admitted,
  everywhere: boolean,
): UserCaller['secondFactorMissing'] {
  if (mfa) return { everywhere: false, workspaces: new Set() }
  const required = memberships.filter((membership) => membership.mfa_required)
  return { everywhere, workspaces: new Set(required.map(({ workspace_id: id }) => id)) }
}

/** A person who only pays, in one workspace. Nothing there asks for a fresh proof. */
function payerOf(
  { userId, workspaceId }: PaymentGrant,
  session: Admitted,
  mfaRequired: boolean,
): UserCaller | undefined {
  const { sessionId, mfa, mustChangePassword, limitedTo, memberships } = session
  const found = memberships.find((each) => each.active && each.workspace_id === workspaceId)
  if (session.userId !== userId || found === undefined) return undefined
  return {
    kind: 'user',
    userId,
    sessionId,
    mfa,
    secondFactorMissing: missingFactor(session, mfaRequired),
    mustChangePassword,
    limitedTo,
    onlyPays: true,
    isOperator: false,
    authenticatedAt: 0,
    roles: new Map([[workspaceId, found.role]]),
  }
}

export function createUserAuthentication(options: UserAuthenticationOptions): UserAuthentication {
  const { clock, db, feed, keyring, tokens, signingKeys, mfaRequired } = options
  const sessions = new FeedCache<Admitted>({
    feed,
    max: MAX_CACHED_SESSIONS,
    kinds: ['session', 'user', 'workspace'],
    refsOf: ({ sessionId, userId, memberships }) => [
      sessionId,
      userId,
      ...memberships.map((membership) => membership.workspace_id),
    ],
  })
  // The claims of a token are one object while the token is cached, so the caller derived from them
  // and the session is cached with them.
  const callers = new WeakMap<Claims, { session: Admitted; caller: UserCaller }>()

  const callerOf = (claims: Claims, session: Admitted): UserCaller | undefined => {
    const known = callers.get(claims)
    if (known?.session === session) return known.caller
    if (parseId('usr', claims.sub) !== session.userId) return undefined
    const { userId, sessionId, mfa, mustChangePassword, isOperator, limitedTo } = session
    const caller: UserCaller = {
      kind: 'user',
      userId,
      sessionId,
      mfa,
      secondFactorMissing: missingFactor(session, mfaRequired),
      mustChangePassword,
      isOperator,
      limitedTo,
      onlyPays: false,
      authenticatedAt: Number(claims['auth_time'] ?? 0) * 1000,
      roles: rolesOf(claims, session),
    }
    callers.set(claims, { session, caller })
    return caller
  }

  const load = (sessionId: string): Promise<Admitted | undefined> =>
    sessions.load(sessionId, async () => {
      const found = await findAdmittedSession(db, sessionId)
      return found && { ...found, sessionId }
    })

  const admit = (claims: Claims | undefined): MaybePromise<UserCaller | undefined> => {
    const sessionId = claims && parseId('ses', claims.sid)
    if (sessionId === undefined) return undefined
    const known = sessions.get(sessionId)
    if (known !== undefined) return callerOf(claims as Claims, known)
    return load(sessionId).then((session) => session && callerOf(claims as Claims, session))
  }

  return {
    authenticate: (token) =>
      andThen(verifyAccessToken(tokens, signingKeys, 'service.console', token), admit),
    authenticatePayer(token) {
      const grant = readPaymentToken(keyring, token, clock.now())
      if (grant === undefined) return undefined
      const payer = (session: Admitted | undefined): UserCaller | undefined =>
        session && payerOf(grant, session, mfaRequired)
      const known = sessions.get(grant.sessionId)
      return known === undefined ? load(grant.sessionId).then(payer) : payer(known)
    },
    async presentOf(caller) {
      const session = sessions.get(caller.sessionId) ?? (await load(caller.sessionId))
      if (session === undefined) return undefined
      const left = session.memberships.flatMap(({ workspace_id: id, role, active }) => {
        const known = caller.roles.get(id)
        return active && known !== undefined ? [[id, narrower(known, role)] as const] : []
      })
      const secondFactorMissing = missingFactor(session, mfaRequired)
      const isOperator = session.isOperator && caller.isOperator
      return { ...caller, isOperator, secondFactorMissing, roles: new Map(left) }
    },
  }
}
