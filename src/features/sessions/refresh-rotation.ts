/**
 * What a refresh token is good for now: the one rule of rotation, for every kind of session. The
 * tokens of a session form a chain; using one makes the next. Whoever asks again with the token
 * before the present one has lost the answer, and gets the same successor again; a token that is
 * older than that is in two hands, which ends the session (RFC 9700 section 4.14.2).
 */
import type { Keyring } from '../../access/keyring.ts'
import {
  type ReadRefreshToken,
  type SessionTokenKind,
  verifyRefreshToken,
} from '../../access/refresh-tokens.ts'

/** What the rule looks at in a session's row. Times are milliseconds since the epoch. */
export interface RotatingSession {
  salt: Buffer
  /** The generation of the newest token; earlier ones have been used. */
  generation: number
  /** When the newest token was made. */
  rotated_at: number
  expires_at: number
  ended_at: number | null
}

/**
 * - `rotate`: the newest token. Count `generation` up, if it still is this one, by one conditional
 *   statement; whoever loses that race reads the row and asks again.
 * - `repeat`: the one before the newest, in time. Answer with the token of the row's generation.
 * - `reused`: an older one, or too late. End the session, durably, and refuse.
 * - `rejected`: not a token of this session, or the session is over. Change nothing.
 */
export type RefreshDecision = 'rotate' | 'repeat' | 'reused' | 'rejected'

/** How the tokens of one kind of session are judged. */
export interface RotationRule {
  kind: SessionTokenKind
  /**
   * For how long the token before the newest repeats the answer, in milliseconds. Null: for as
   * long as the newest is unused.
   */
  retryWindowMs: number | null
}

/**
 * Decides by the row as it was read. `now` should come from the clock that wrote `rotated_at`, the
 * database's, since the window is shorter than two clocks may be apart.
 */
export function decideRefresh(
  keyring: Keyring,
  rule: RotationRule,
  token: ReadRefreshToken,
  session: RotatingSession,
  now: number,
): RefreshDecision {
  // The proof comes first: what isn't ours must neither end a session nor tell anything about it.
  if (!verifyRefreshToken(keyring, rule.kind, token, session.salt)) return 'rejected'
  if (session.ended_at !== null || session.expires_at <= now) return 'rejected'
  const age = session.generation - token.generation
  if (age === 0) return 'rotate'
  // Ahead of the row: the database was restored to an earlier state.
  if (age < 0) return 'rejected'
  const inTime = rule.retryWindowMs === null || now - session.rotated_at <= rule.retryWindowMs
  return age === 1 && inTime ? 'repeat' : 'reused'
}
