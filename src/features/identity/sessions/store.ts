/** Queries on sessions of console users. */
import { AUDIT_ENTRY, INSERT_AUDIT } from '../../../platform/database/audit-insert.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { composed, type RowOf, sql } from '../../../platform/database/sql.ts'
import { type Membership, Memberships } from './schema.ts'

/** Lifetime of a session without a refresh. */
const LIFETIME = "interval '30 days'"
/** Lifetime of a session, however often it is refreshed, unless it has an end of its own. */
const MAX_LIFETIME = "interval '90 days'"
/** Ended sessions are kept for a while, to distinguish old tokens from unknown ones. */
const KEEP_ENDED = "interval '30 days'"

const latest = `coalesce(ends_at, created_at + ${MAX_LIFETIME})`
const columns = `id, user_id, salt, generation, mfa OR passkey_id IS NOT NULL AS mfa!, passkey_id, address, user_agent, limited_to, created_at,
  ends_at, rotated_at, coalesce(authenticated_at, created_at) AS authenticated_at!,
  least(expires_at, ${latest}) AS expires_at!, ended_at, end_reason`
const live = `ended_at IS NULL AND least(expires_at, ${latest}) > now()`
const memberships = `coalesce((
  SELECT json_agg(json_build_object('workspace_id', m.workspace_id, 'role', m.role))
  FROM memberships m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = s.user_id AND w.status = 'active'
    AND (s.limited_to IS NULL OR m.workspace_id = s.limited_to)
), '[]')`
const withMemberships = `${columns}, ${composed(memberships, Memberships, 'memberships!')}, (
  SELECT u.initial_password_until IS NOT NULL FROM users u WHERE u.id = s.user_id
) AS initial_password!`

// Someone who is not a member of the domain's workspace is unknown there.
/**
 * Inserts a session and its audit entry, and clears the attempts, in one statement. Writes nothing
 * if the account is not active or its `sign_in_version` is not `$version` any more.
 */
export const insertSession = sql('user_sessions.insert')`
  WITH account AS (
    SELECT id FROM users WHERE id = $userId AND status = 'active' AND sign_in_version = $version
      AND ($limitedTo?::uuid IS NULL
           OR EXISTS (SELECT FROM memberships
                      WHERE workspace_id = $limitedTo AND user_id = $userId))
    FOR SHARE
  ), to_clear AS (
    -- In the order in which attempts are counted.
    SELECT f.subject, f.factor FROM account, failed_tries f
    WHERE f.subject = ANY($cleared::bytea[])
    ORDER BY length(f.subject) DESC, f.subject FOR UPDATE OF f
  ), cleared AS (
    DELETE FROM failed_tries f USING to_clear c WHERE f.subject = c.subject AND f.factor = c.factor
  ), s AS (
    INSERT INTO user_sessions (id, user_id, salt, mfa, passkey_id, address, user_agent,
                               authenticated_at, expires_at, ends_at, limited_to)
    SELECT $id, account.id, $salt, $mfa, $passkeyId?, $sessionAddress, $userAgent,
           to_timestamp($authenticatedAt::double precision / 1000), now() + ${LIFETIME},
           now() + make_interval(secs => $lifetimeSeconds?), $limitedTo?
    FROM account
    RETURNING ${columns}
  ), entry AS (
    ${INSERT_AUDIT}
    SELECT ${AUDIT_ENTRY} FROM s
  )
  SELECT ${withMemberships} FROM s`
/** The session with the database's time, unless its account is disabled. */
export const findToRefresh = sql('user_sessions.to_refresh')`
  SELECT ${withMemberships}, clock_timestamp() AS now FROM user_sessions s
  WHERE id = $id AND EXISTS (SELECT FROM users u WHERE u.id = s.user_id AND u.status = 'active')`
/** @returns the new state; undefined if the generation has changed or the session has ended */
export const rotateSession = sql('user_sessions.rotate')`
  UPDATE user_sessions s
  SET generation = generation + 1, rotated_at = clock_timestamp(),
      expires_at = least(now() + ${LIFETIME}, ${latest})
  WHERE id = $id AND generation = $generation AND ${live} RETURNING ${withMemberships}`
/**
 * Notes that the person of a live session has proved the password or a second factor again; the
 * parameter `version` is the `sign_in_version` of the account at authentication.
 * @returns undefined if the session has ended or the account's credentials have changed
 */
export const authenticateSession = sql('user_sessions.authenticate')`
  WITH account AS (
    SELECT id AS account_id FROM users WHERE id = $userId? AND status = 'active'
    AND sign_in_version = $version FOR SHARE
  )
  UPDATE user_sessions s
  SET authenticated_at = to_timestamp($authenticatedAt::double precision / 1000), mfa = mfa OR
    $mfa?, passkey_id = coalesce($passkeyId?, passkey_id)
  FROM account WHERE id = $id AND user_id = account_id AND ${live}
  RETURNING ${withMemberships}`
/** `id` is null for all sessions of the account. */
export const setMfa = sql('user_sessions.set_mfa')`
  UPDATE user_sessions SET mfa = $mfa?
  WHERE user_id = $userId? AND ($id?::uuid IS NULL OR id = $id) AND ended_at IS NULL`
/** A session that may have ended, but was not revoked, and its account. */
export const findKnownDevice = sql('user_sessions.known_device')`
  SELECT s.salt, s.user_id, u.email, u.sign_in_version
  FROM user_sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = $id AND (s.ended_at IS NULL OR s.end_reason = 'logged_out')
    AND coalesce(s.ended_at, s.expires_at) > now() - ${KEEP_ENDED}`
/** @returns whether it was live */
export const endSession = sql('user_sessions.end')`
  UPDATE user_sessions SET ended_at = now(), end_reason = $reason
  WHERE id = $id AND user_id = $userId? AND ${live} RETURNING id`
/** Ends the sessions of an account, and its pending second-factor steps. */
export const endAllSessions = sql('user_sessions.end_all')`
  WITH unfinished AS (DELETE FROM mfa_challenges WHERE user_id = $userId?)
  UPDATE user_sessions SET ended_at = now(), end_reason = $reason
  WHERE user_id = $userId AND NOT $others AND ($own?::uuid IS NULL OR id <> $own)
    AND ${live} RETURNING id`
/** @param own the session that stays */
export const endSessionsOfPasskey = sql('user_sessions.end_of_passkey')`
  UPDATE user_sessions SET ended_at = now(), end_reason = 'factor_changed'
  WHERE user_id = $userId AND passkey_id = $passkeyId AND id <> $own AND ${live}`
/** Whether the session, live or ended, belongs to the account. */
export const isSessionOf = sql('user_sessions.owned')`
  SELECT id FROM user_sessions WHERE id = $id AND user_id = $userId`
export const pageOfLiveSessions = sql('user_sessions.page')`
  SELECT ${columns} FROM user_sessions
  WHERE user_id = $userId AND ($after?::uuid IS NULL OR id < $after) AND ${live}
  ORDER BY id DESC LIMIT $limit`
const admitted = sql('user_sessions.admitted')`
  SELECT s.user_id, s.mfa OR s.passkey_id IS NOT NULL AS mfa!, s.limited_to,
    u.initial_password_until IS NOT NULL AS initial_password!,
    u.installation_role IS NOT NULL AS is_operator!,
    m.workspace_id, m.role, m.created_at, w.status = 'active' AS active!, w.mfa_required
  FROM user_sessions s JOIN users u ON u.id = s.user_id AND u.status = 'active'
  LEFT JOIN (memberships m JOIN workspaces w ON w.id = m.workspace_id)
    ON m.user_id = s.user_id AND (s.limited_to IS NULL OR m.workspace_id = s.limited_to)
  WHERE s.id = $id AND s.ended_at IS NULL
    AND least(s.expires_at, coalesce(s.ends_at, s.created_at + ${MAX_LIFETIME})) > now()`
export const deleteOldSessions = sql('user_sessions.delete_old')`
  DELETE FROM user_sessions
  WHERE ended_at < now() - ${KEEP_ENDED} OR expires_at < now() - ${KEEP_ENDED}`

export type SessionRow = RowOf<typeof pageOfLiveSessions>

/** A session with the user's memberships in active workspaces, for its tokens. */
export interface OpenSession extends SessionRow {
  /** Whether the account still has a password that the service made. */
  initial_password: boolean
  memberships: readonly Membership[]
}

export interface KeptSessions {
  /** The session of the request, if any. */
  own: string | null
  /** Whether the others are kept too. */
  others: boolean
}

export interface DatedMembership extends Membership {
  created_at: number
  /** Whether the workspace is active, which may change back. */
  active: boolean
  /** Whether the workspace requires a second factor. */
  mfa_required: boolean
}

export interface AdmittedSession {
  userId: string
  /** Whether a second factor has been proved in it. */
  mfa: boolean
  mustChangePassword: boolean
  isOperator: boolean
  /** UUID of the only workspace that it is valid for, or null. */
  limitedTo: string | null
  memberships: readonly DatedMembership[]
}

/** The live session of an active account, with all its memberships. */
export async function findAdmittedSession(
  db: Db,
  id: string,
): Promise<AdmittedSession | undefined> {
  const rows = await admitted.rows(db, { id })
  const [first] = rows
  if (first === undefined) return undefined
  type Row = RowOf<typeof admitted>
  const isMembership = (row: Row): row is Row & DatedMembership => row.workspace_id !== null
  return {
    userId: first.user_id,
    mfa: first.mfa,
    mustChangePassword: first.initial_password,
    isOperator: first.is_operator,
    limitedTo: first.limited_to,
    memberships: rows.filter(isMembership),
  }
}
