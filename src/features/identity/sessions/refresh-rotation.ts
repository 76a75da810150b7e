/**
 * Refresh token rotation, for every kind of session. The tokens of a session form a chain; using
 * one creates the next. A repeated use of the previous token means that the response was lost, and
 * gets the same successor; use of an older token means that it was copied, and ends the session
 * (RFC 9700 section 4.14.2).
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import {
  type ReadRefreshToken,
  type SessionTokenKind,
  verifyRefreshToken,
} from '../../../platform/access/refresh-tokens.ts'

/** The part of a session's row that the rule needs. Times are milliseconds since the epoch. */
export interface RotatingSession {
  salt: Buffer
  /** Generation of the newest token; earlier ones have been used. */
  generation: number
  /** When the newest token was created. */
  rotated_at: number
  expires_at: number
  ended_at: number | null
}

/**
 * - `rotate`: the newest token. Increment `generation`, if unchanged, by one conditional statement;
 *   anyone who loses that race reads the row and asks again.
 * - `repeat`: the previous token, in time. Answer with the token of the row's generation.
 * - `reused`: an older token, or too late. End the session durably, and refuse.
 * - `rejected`: not a token of this session, or the session has ended. Change nothing.
 */
export type RefreshDecision = 'rotate' | 'repeat' | 'reused' | 'rejected'

/** How the tokens of one kind of session are evaluated. */
export interface RotationRule {
  kind: SessionTokenKind
  /**
   * How long the previous token repeats the response, in milliseconds. Null: as long as the newest
   * is unused.
   */
  retryWindowMs: number | null
}

/**
 * Decides by the row. `now` should come from the clock that wrote `rotated_at`, the database's,
 * since clocks may differ by more than the window.
 */
export function decideRefresh(
  keyring: Keyring,
  rule: RotationRule,
  token: ReadRefreshToken,
  session: RotatingSession,
  now: number,
): RefreshDecision {
  // Verified first: a foreign token must neither end a session nor reveal anything about it.
  if (!verifyRefreshToken(keyring, rule.kind, token, session.salt)) return 'rejected'
  if (session.ended_at !== null || session.expires_at <= now) return 'rejected'
  const age = session.generation - token.generation
  if (age === 0) return 'rotate'
  // Newer than the row: the database was restored to an earlier state.
  if (age < 0) return 'rejected'
  const inTime = rule.retryWindowMs === null || now - session.rotated_at <= rule.retryWindowMs
  return age === 1 && inTime ? 'repeat' : 'reused'
}
