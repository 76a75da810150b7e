/** Queries on authorization codes. */
import { sql } from '../../../platform/database/sql.ts'

export const LIFETIME_SECONDS = 60

/** @returns nothing if the session has ended */
export const insertCode = sql('authorization_codes.insert')`
  INSERT INTO authorization_codes (code_hash, code_challenge, session_id, sign_in_version,
                                   expires_at)
  SELECT $codeHash, $codeChallenge, s.id, u.sign_in_version,
         now() + make_interval(secs => ${LIFETIME_SECONDS})
  FROM user_sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = $sessionId AND s.ended_at IS NULL
  RETURNING session_id`
/**
 * Deletes the code and returns the session in which it was allowed, if that has not ended.
 * @returns the session for one of concurrent callers, and nothing for the others
 */
export const takeCode = sql('authorization_codes.take')`
  DELETE FROM authorization_codes c USING user_sessions s
  WHERE c.code_hash = $codeHash AND c.code_challenge = $codeChallenge AND c.expires_at > now()
    AND s.id = c.session_id AND s.ended_at IS NULL
    AND s.limited_to IS NOT DISTINCT FROM $limitedTo?::uuid
  RETURNING s.user_id, c.sign_in_version, s.mfa, s.passkey_id, s.limited_to,
    coalesce(s.authenticated_at, s.created_at) AS authenticated_at!`
export const deleteOldCodes = sql('authorization_codes.delete_old')`
  DELETE FROM authorization_codes WHERE expires_at <= now()`
