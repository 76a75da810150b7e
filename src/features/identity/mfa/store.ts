/** Queries on authenticators, recovery codes and pending sign-ins. */
import { sql } from '../../../platform/database/sql.ts'
import { hasFactor } from '../accounts/factor-statements.ts'

/** Attempts per pending sign-in. */
const TRIES_PER_CHALLENGE = 5
export const CHALLENGE_SECONDS = 300

export const findTotp = sql('user_totp.find')`
  SELECT sealed_secret, confirmed_at FROM user_totp WHERE user_id = $userId`
/** Any that an account has: a confirmed authenticator, or a passkey. */
export const findFactor = sql('users.factor')`
  SELECT u.id FROM users u WHERE u.id = $userId AND ${hasFactor}`
/** Replaces an unconfirmed secret. @returns false if a secret is confirmed */
export const putUnconfirmedTotp = sql('user_totp.put_unconfirmed')`
  INSERT INTO user_totp AS t (user_id, sealed_secret) VALUES ($userId, $encryptedSecret)
  ON CONFLICT (user_id) DO UPDATE
  SET sealed_secret = excluded.sealed_secret, last_step = 0, created_at = now()
  WHERE t.confirmed_at IS NULL RETURNING user_id`
/** @param lastStep of the code, which this consumes @returns whether it could be confirmed */
export const confirmTotp = sql('user_totp.confirm')`
  UPDATE user_totp SET confirmed_at = now(), last_step = $lastStep
  WHERE user_id = $userId AND sealed_secret = $encryptedSecret AND confirmed_at IS NULL
  RETURNING user_id`
/** Consumes a time step and all earlier ones. @returns whether it was still valid */
export const useTotpStep = sql('user_totp.use_step')`
  UPDATE user_totp SET last_step = $lastStep
  WHERE user_id = $userId AND sealed_secret = $encryptedSecret AND confirmed_at IS NOT NULL
    AND last_step < $lastStep
  RETURNING user_id`
/** Removes the authenticator, the recovery codes and pending sign-ins. */
export const removeTotp = sql('user_totp.remove')`
  WITH codes AS (DELETE FROM user_recovery_codes WHERE user_id = $userId),
       challenges AS (DELETE FROM mfa_challenges WHERE user_id = $userId)
  DELETE FROM user_totp WHERE user_id = $userId`
/** Replaces all codes. */
export const replaceRecoveryCodes = sql('user_recovery_codes.replace')`
  WITH former AS (DELETE FROM user_recovery_codes WHERE user_id = $userId)
  INSERT INTO user_recovery_codes (user_id, code_hash) SELECT $userId, unnest($hashes::bytea[])`
/** Consumes a recovery code. @returns whether it existed */
export const useRecoveryCode = sql('user_recovery_codes.use')`
  DELETE FROM user_recovery_codes WHERE user_id = $userId AND code_hash = $codeHash
    RETURNING user_id`
export const countRecoveryCodes = sql('user_recovery_codes.count')`
  SELECT count(*) AS codes FROM user_recovery_codes WHERE user_id = $userId`
/**
 * @returns false if the account is not active, its credentials have changed, or it is not a member
 * of the only workspace
 */
export const insertChallenge = sql('mfa_challenges.insert')`
  WITH account AS (
    SELECT id FROM users WHERE id = $userId AND status = 'active' AND sign_in_version = $version
      AND ($limitedTo?::uuid IS NULL
           OR EXISTS (SELECT FROM memberships WHERE workspace_id = $limitedTo? AND user_id = $userId))
    FOR SHARE
  )
  INSERT INTO mfa_challenges (id, user_id, salt, expires_at, limited_to)
  SELECT $id, account.id, $salt, now() + make_interval(secs => ${CHALLENGE_SECONDS}), $limitedTo? FROM account
  RETURNING id`
const open = `used_at IS NULL AND expires_at > now()`
export const findOpenChallenge = sql('mfa_challenges.open')`
  SELECT user_id, salt, limited_to FROM mfa_challenges WHERE id = $id AND ${open}`
/** Counts an attempt. @returns false if none is left or the sign-in has ended */
export const countChallengeTry = sql('mfa_challenges.try')`
  UPDATE mfa_challenges SET tries = tries + 1
  WHERE id = $id AND tries < ${TRIES_PER_CHALLENGE} AND ${open} RETURNING id`
/** @returns whether it was open; true for one of concurrent calls */
export const closeChallenge = sql('mfa_challenges.use')`
  UPDATE mfa_challenges SET used_at = now() WHERE id = $id AND ${open} RETURNING id`
export const deleteExpiredChallenges = sql('mfa_challenges.delete_old')`
  DELETE FROM mfa_challenges WHERE expires_at < now()`
