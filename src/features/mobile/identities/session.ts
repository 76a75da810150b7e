/**
 * Sessions of mobile identities. An identity is created with its first session and belongs to no
 * account: anyone who has the refresh token is the identity, and losing it means losing the
 * devices.
 */
import type { AnonymousCaller, MoidCaller } from '../../../platform/access/principal.ts'
import { issueRefreshToken, newSessionSalt } from '../../../platform/access/refresh-tokens.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { INSTALLATION } from '../../../platform/record/event.ts'
import { recordBounded } from '../../../platform/record/counting.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId, newUuid, parseId } from '../../../platform/lib/ids.ts'
import { requireActiveWorkspace } from '../../team/active-workspaces/active-workspace.ts'
import { revokePhoneSessions } from '../../mqtt/revocation/receipt-issue.ts'
import { type RefreshedKind, refreshTokens } from '../../identity/sessions/refresh.ts'
import type { RotationRule } from '../../identity/sessions/refresh-rotation.ts'
import { timestamp } from '../../common/shapes.ts'
import type { MoidSession, MoidView, StartMoidSession } from './schema.ts'
import { requireUnboundPoint } from './unbound-limit.ts'
import * as store from './store.ts'

const ACCESS_TOKEN_SECONDS = 900

/** A phone may return after months; see docs/decisions/0021-refresh-of-mobile-identities.md. */
const rule: RotationRule = { kind: 'moid', retryWindowMs: null }

const phoneSessions: RefreshedKind<store.SessionRow> = {
  rule,
  bucket: 'safety',
  find: store.findToRefresh,
  rotate: store.rotateSession,
  workspaceOf: (row) => row.workspace_id,
}

function identityOf(session: { id: string; moid_id: string; workspace_id: string | null }) {
  const { workspace_id: workspaceId } = session
  return {
    moid_id: formatId('moid', session.moid_id),
    session_id: formatId('mse', session.id),
    scope: workspaceId === null ? ('global' as const) : ('workspace' as const),
    workspace_id: workspaceId === null ? null : formatId('ws', workspaceId),
  }
}

function withTokens(
  { keyring, moidTokens }: Pick<Context, 'keyring' | 'moidTokens'>,
  session: store.SessionRow,
): MoidSession {
  const identity = identityOf(session)
  const { id, salt, generation } = session
  return {
    ...identity,
    access_token: moidTokens.sign(
      { sub: identity.moid_id, sid: identity.session_id },
      ACCESS_TOKEN_SECONDS,
    ),
    refresh_token: issueRefreshToken(keyring, rule.kind, id, salt, generation),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
  }
}

/** The audit payload of a session; one locked to a workspace belongs to that workspace's log. */
const sessionChange = (session: { id: string; moid_id: string; workspace_id: string | null }) => ({
  workspaceId: session.workspace_id ?? INSTALLATION,
  resource: { kind: 'moid_session', id: formatId('mse', session.id) },
  data: { moid_id: formatId('moid', session.moid_id), session_id: formatId('mse', session.id) },
})

/** @throws Failure workspace_not_found if it is unknown or not active */
export async function startSession(
  context: Context<AnonymousCaller>,
  input: StartMoidSession,
): Promise<MoidSession> {
  const { hostWorkspaceId } = context.request
  const asked = input.workspace_id && parseId('ws', input.workspace_id)
  // A workspace's own domain only serves that workspace.
  if (asked && hostWorkspaceId !== undefined && asked !== hostWorkspaceId) {
    throw new Failure('workspace_not_found')
  }
  const workspaceId = asked ?? hostWorkspaceId ?? null
  if (workspaceId !== null) await requireActiveWorkspace(context.db, workspaceId)
  await requireUnboundPoint(context, 'moid_sessions', workspaceId)
  return context.db.transaction(async (trx) => {
    const session = await store.insertSession.first(trx, {
      moidId: newUuid(),
      id: newUuid(),
      workspaceId,
      salt: newSessionSalt(),
    })
    const row = found(session, 'workspace_not_found')
    const change = { ...sessionChange(row), action: 'moid_session.created' } as const
    await recordBounded(trx, originOf(context), change)
    return withTokens(context, row)
  })
}

/** @throws Failure as `refreshTokens` */
export const refreshSession = (
  context: Context<AnonymousCaller>,
  refreshToken: string,
): Promise<MoidSession> =>
  refreshTokens(
    context,
    refreshToken,
    phoneSessions,
    (row) => withTokens(context, row),
    (row) => endReused(context, row),
  )

/** Its MQTT logins end with it, on every broker. */
async function notifyEnd(
  context: Pick<Context, 'feed' | 'mqttBrokers'>,
  trx: Db,
  sessionId: string,
  action: 'moid_session.ended' | 'session.reuse_detected',
): Promise<void> {
  await context.feed.announce(trx, 'moid-session', sessionId)
  await revokePhoneSessions(context, trx, { sessionId }, action)
}

/** Ends the session in a separate transaction: the refusal rolls the request's back. */
async function endReused(
  context: Context<AnonymousCaller>,
  session: store.SessionRow,
): Promise<never> {
  const action = 'session.reuse_detected'
  const ended = await context.autonomousDb.transaction(async (trx) => {
    if (!(await store.endSession.any(trx, { id: session.id, endReason: 'refresh_token_reused' })))
      return false
    await notifyEnd(context, trx, session.id, action)
    const change = { ...sessionChange(session), action } as const
    const { moid_id: moidId, workspace_id: workspaceId } = session
    const holdsDevice = await store.holdsDevice.any(trx, { moidId, within: workspaceId })
    await (holdsDevice ? record : recordBounded)(trx, originOf(context), change)
    return true
  })
  throw new Failure(ended ? 'refresh_token_reused' : 'refresh_token_rejected')
}

/**
 * Devices stay bound; without another session of the identity they can only be released by
 * themselves or by staff.
 */
export async function endOwnSession(context: Context<MoidCaller>): Promise<void> {
  const { db, caller } = context
  const action = 'moid_session.ended'
  await db.transaction(async (trx) => {
    if (!(await store.endSession.any(trx, { id: caller.sessionId, endReason: 'logged_out' })))
      return
    await notifyEnd(context, trx, caller.sessionId, action)
    const session = {
      id: caller.sessionId,
      moid_id: caller.moidId,
      workspace_id: caller.workspaceId,
    }
    const { data, ...change } = sessionChange(session)
    await (caller.holdsDevice ? record : recordBounded)(trx, originOf(context), {
      ...change,
      action,
      detail: { ...data, reason: 'logged_out' },
    })
  })
}

export async function getMoid(context: Context<MoidCaller>): Promise<MoidView> {
  const row = found(
    await store.findMoid.first(context.db, { id: context.caller.sessionId }),
    'credential_rejected',
  )
  return {
    ...identityOf(row),
    created_at: timestamp(row.moid_created_at),
    session_created_at: timestamp(row.created_at),
    session_expires_at: timestamp(row.expires_at),
  }
}

const BATCH = 1_000

/**
 * Deletes ended sessions and unused identities: anyone can create them, so they must not
 * accumulate. Works in batches that hold locks briefly. May run in
 * several processes at once.
 */
export async function expireMoidSessions(db: Db): Promise<void> {
  while ((await store.deleteSessionsOver.one(db, { limit: BATCH })).deleted >= BATCH);
  while ((await store.deleteUnneededMoids.one(db, { limit: BATCH })).checked >= BATCH);
}

/**
 * Whether a mobile identity holds a device of a workspace, for rules of other slices. From the
 * session if that is locked to the workspace, else by one read.
 */
export const holdsDeviceIn = async (
  { db, caller }: Pick<Context<MoidCaller>, 'db' | 'caller'>,
  workspaceId: string,
): Promise<boolean> =>
  caller.workspaceId === workspaceId
    ? caller.holdsDevice
    : caller.holdsDevice &&
      store.holdsDevice.any(db, { moidId: caller.moidId, within: workspaceId })
