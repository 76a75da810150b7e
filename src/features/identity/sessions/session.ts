/**
 * Sessions of console users: opened by signing in, extended by refreshing, ended immediately. An
 * access token is only valid while its session is live, so ending the session invalidates all its
 * tokens.
 */
import { issueRefreshToken, newSessionSalt } from '../../../platform/access/refresh-tokens.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { AnyContext, Services } from '../../../context.ts'
import type { Db, Transaction } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { INSTALLATION, type Origin } from '../../../platform/record/event.ts'
import { auditRowOf, record } from '../../../platform/record/record.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { issueKnownDeviceToken } from './known-device.ts'
import { type RefreshedKind, refreshTokens, sessionOfToken } from './refresh.ts'
import type { RotationRule } from './refresh-rotation.ts'
import * as store from './store.ts'

export type { KeptSessions } from './store.ts'

const ACCESS_TOKEN_SECONDS = 900

/** A client that lost the response retries at once; later it is someone else. */
const rule: RotationRule = { kind: 'console', retryWindowMs: 30_000 }

const consoleSessions: RefreshedKind<store.OpenSession> = {
  rule,
  bucket: 'auth',
  find: store.findToRefresh,
  rotate: store.rotateSession,
  workspaceOf: (row) => row.limited_to,
}

/**
 * Workspaces named in a token. A user with more gets a token without the claim, so that it fits
 * into a header; current memberships alone then decide.
 */
const MAX_CLAIMED_WORKSPACES = 100

export interface SessionServices
  extends Pick<Services, 'db' | 'keyring' | 'feed' | 'consoleTokens' | 'clock'> {
  /** Commits independently of the request. */
  autonomousDb: Db
}

export interface AccessToken {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  password_change_required?: true
}

export interface Tokens extends AccessToken {
  user_id: string
  refresh_token: string
}

export interface SignedIn extends Tokens {
  known_device_token: string
}

const sessionResource = (sessionId: string) => ({ kind: 'session', id: formatId('ses', sessionId) })

function accessTokenOf(
  { consoleTokens }: Pick<SessionServices, 'consoleTokens'>,
  session: store.OpenSession,
): AccessToken {
  const { id, memberships } = session
  const workspaces = Object.fromEntries(
    memberships.map(({ workspace_id, role }) => [formatId('ws', workspace_id), role]),
  )
  const claims = {
    sub: formatId('usr', session.user_id),
    sid: formatId('ses', id),
    // The time of the proof, not of a refresh (RFC 9470 section 6.1).
    auth_time: Math.floor(session.authenticated_at / 1000),
    ...(memberships.length <= MAX_CLAIMED_WORKSPACES && { workspaces }),
  }
  return {
    access_token: consoleTokens.sign(claims, ACCESS_TOKEN_SECONDS),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    ...(session.initial_password && { password_change_required: true }),
  }
}

function tokensOf(
  services: Pick<SessionServices, 'keyring' | 'consoleTokens'>,
  session: store.OpenSession,
): Tokens {
  const { id, salt, generation } = session
  return {
    ...accessTokenOf(services, session),
    user_id: formatId('usr', session.user_id),
    refresh_token: issueRefreshToken(services.keyring, rule.kind, id, salt, generation),
  }
}

/** The authenticated account and the method. */
export interface ProvenUser {
  userId: string
  /** `sign_in_version` of the account when it was read. */
  version: number
  /** Whether a code of an authenticator, or a recovery code, was proved. */
  mfa: boolean
  /** UUID of the passkey that was proved, which counts as both factors. */
  passkeyId?: string
  /** The name of the identity provider that has confirmed the person. */
  provider?: string
  userAgent: string
  /** UUID of the workspace through whose domain the person signs in, or null. */
  limitedTo: string | null
  /** After which the session ends, however often it is refreshed; null: 90 days. */
  lifetimeSeconds: number | null
  /** When that was proved, in milliseconds since the epoch; undefined: now. */
  authenticatedAt?: number
}

/** For the audit log. */
const methodOf = ({
  mfa,
  passkeyId,
  provider,
}: Pick<ProvenUser, 'mfa' | 'passkeyId' | 'provider'>) => ({
  mfa: mfa || passkeyId !== undefined,
  ...(passkeyId !== undefined && { passkey_id: formatId('pky', passkeyId) }),
  ...(provider !== undefined && { provider }),
})

/**
 * Opens a session, in one statement.
 * @param cleared the counts of failed attempts that this success clears
 * @returns undefined if the account was disabled, or its password or second factor changed, since
 * authentication, or if it is not a member of the domain's workspace
 */
export async function openSession(
  services: Pick<SessionServices, 'keyring' | 'consoleTokens' | 'clock'>,
  db: Db,
  origin: Origin,
  user: ProvenUser,
  cleared: readonly Buffer[] = [],
): Promise<SignedIn | undefined> {
  const id = newUuid()
  const { provider: _provider, authenticatedAt = services.clock.now(), ...proven } = user
  const salt = newSessionSalt()
  const session = await store.insertSession.first(db, {
    passkeyId: null,
    ...proven,
    id,
    salt,
    cleared,
    authenticatedAt,
    sessionAddress: origin.address ?? '',
    ...auditRowOf(origin, {
      workspaceId: INSTALLATION,
      action: 'session.created',
      resource: sessionResource(id),
      detail: methodOf(user),
    }),
  })
  if (session === undefined) return undefined
  const token = issueKnownDeviceToken(services.keyring, session, user.version)
  return { ...tokensOf(services, session), known_device_token: token }
}

/**
 * Notes a new proof of the password, a second factor or a passkey in an open session.
 * @returns an access token that says so; undefined if the session has ended or the account's
 * credentials have changed since the proof
 */
export async function authenticateAgain(
  services: Pick<SessionServices, 'consoleTokens' | 'clock' | 'feed'>,
  trx: Transaction,
  origin: Origin,
  user: Pick<ProvenUser, 'userId' | 'version' | 'mfa' | 'passkeyId'> & { sessionId: string },
): Promise<AccessToken | undefined> {
  const { sessionId: id, userId, version, mfa, passkeyId = null } = user
  const authenticatedAt = services.clock.now()
  const proof = { id, userId, version, mfa, passkeyId, authenticatedAt }
  const session = await store.authenticateSession.first(trx, proof)
  if (session === undefined) return undefined
  await services.feed.announce(trx, 'session', id)
  await record(trx, origin, {
    workspaceId: INSTALLATION,
    action: 'session.reauthenticated',
    resource: sessionResource(id),
    detail: methodOf(user),
  })
  return accessTokenOf(services, session)
}

/** @throws Failure as `refreshTokens` */
export const refreshSession = (
  context: AnyContext,
  origin: Origin,
  refreshToken: string,
): Promise<Tokens> =>
  refreshTokens(
    context,
    refreshToken,
    consoleSessions,
    (row) => tokensOf(context, row),
    (row) => endReused(context, origin, row),
  )

/**
 * Ends the session in a separate transaction, since the refusal rolls the request's back. Writes an
 * event in each of the user's workspaces.
 */
async function endReused(
  { autonomousDb, feed }: SessionServices,
  origin: Origin,
  { id, user_id: userId, memberships }: store.OpenSession,
): Promise<never> {
  const ended = await autonomousDb.transaction(async (trx) => {
    if (!(await store.endSession.any(trx, { id, userId, reason: 'refresh_token_reused' })))
      return false
    await feed.announce(trx, 'session', id)
    const data = { session_id: formatId('ses', id), user_id: formatId('usr', userId) }
    const change = {
      action: 'session.reuse_detected',
      resource: sessionResource(id),
      data,
    } as const
    await record(trx, origin, { workspaceId: INSTALLATION, ...change })
    for (const { workspace_id: workspaceId } of memberships) {
      await record(trx, origin, { workspaceId, ...change })
    }
    return true
  })
  throw new Failure(ended ? 'refresh_token_reused' : 'refresh_token_rejected')
}

/**
 * Ends the session that a refresh token belongs to, whether or not the token was used already.
 * Without one, or if it has ended, there is nothing to do.
 */
export async function endByRefreshToken(
  services: Pick<SessionServices, 'db' | 'keyring' | 'feed'>,
  origin: Omit<Origin, 'actor'>,
  refreshToken: string,
  hostWorkspaceId: string | undefined,
): Promise<void> {
  const found = await sessionOfToken(services, refreshToken, hostWorkspaceId, consoleSessions)
  if (found === undefined) return
  const { row } = found
  const actor = { kind: 'user', id: formatId('usr', row.user_id) } as const
  await endSession(services, { ...origin, actor }, row.user_id, row.id, 'logged_out')
}

/**
 * Ends a session of an account. Idempotent.
 * @throws Failure session_not_found
 */
export async function endSession(
  services: Pick<SessionServices, 'db' | 'feed'>,
  origin: Origin,
  userId: string,
  sessionId: string,
  reason: 'logged_out' | 'revoked',
): Promise<void> {
  await services.db.transaction(async (trx) => {
    if (!(await store.endSession.any(trx, { id: sessionId, userId, reason }))) {
      if (await store.isSessionOf.any(trx, { id: sessionId, userId })) return
      throw new Failure('session_not_found')
    }
    await services.feed.announce(trx, 'session', sessionId)
    await record(trx, origin, {
      workspaceId: INSTALLATION,
      action: 'session.ended',
      resource: sessionResource(sessionId),
      detail: { reason },
    })
  })
}

/**
 * Ends an account's pending second-factor steps and, unless they are kept, its sessions.
 * @returns how many sessions have ended
 */
export async function endSessionsOfUser(
  feed: ChangeFeed,
  trx: Db,
  userId: string,
  reason: 'password_changed' | 'factor_changed' | 'account_disabled' | 'revoked',
  keep: store.KeptSessions,
): Promise<number> {
  const ended = await store.endAllSessions.count(trx, { userId, reason, ...keep })
  await feed.announce(trx, 'user', userId)
  return ended
}

/** The person has proved a new second factor in a session. */
export async function noteEnrolment(
  feed: ChangeFeed,
  trx: Db,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  await store.setMfa.run(trx, { userId, id: sessionId, mfa: true })
  await feed.announce(trx, 'session', sessionId)
}

/** A second factor that is gone counts as proved in no session. */
export async function noteRemoval(feed: ChangeFeed, trx: Db, userId: string): Promise<void> {
  await store.setMfa.run(trx, { userId, id: null, mfa: false })
  await feed.announce(trx, 'user', userId)
}

/** Ends the sessions in which a passkey was proved, but for one, before it is removed. */
export async function endSessionsOfPasskey(
  feed: ChangeFeed,
  trx: Db,
  { userId, passkeyId, keep }: { userId: string; passkeyId: string; keep: string },
): Promise<void> {
  await store.endSessionsOfPasskey.run(trx, { userId, passkeyId, own: keep })
  await feed.announce(trx, 'user', userId)
}

/** Deletes sessions that ended long ago. */
export const deleteOldSessions = (db: Db): Promise<void> => store.deleteOldSessions.run(db)
