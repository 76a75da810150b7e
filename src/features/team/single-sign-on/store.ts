/** Queries on attempts to sign in by an identity provider, and on linked identities. */
import { sql } from '../../../platform/database/sql.ts'

/** For signing in at the provider, or to an account that is to be linked. */
export const ATTEMPT_MINUTES = 10
const until = `now() + interval '${ATTEMPT_MINUTES} minutes'`

export const insertAttempt = sql('sso_attempts.insert')`
  INSERT INTO sso_attempts (state_hash, browser_hash, provider, stay, is_fresh, expires_at)
  VALUES ($stateHash, $browserHash, $provider, $stay, $isFresh, ${until})`
/** @returns the attempt for one of concurrent callers, and nothing for the others */
export const takeAttempt = sql('sso_attempts.take')`
  DELETE FROM sso_attempts
  WHERE state_hash = $stateHash AND browser_hash = $browserHash AND provider = $provider
    AND expires_at > now()
  RETURNING stay, is_fresh`
export const insertLink = sql('sso_links.insert')`
  INSERT INTO sso_links (token_hash, browser_hash, user_id, provider, issuer, subject, email,
                         expires_at)
  VALUES ($tokenHash, $browserHash, $userId, $provider, $issuer, $subject, $email, ${until})`
/** The same, of a person who has signed in to the account. */
export const takeLink = sql('sso_links.take')`
  DELETE FROM sso_links
  WHERE token_hash = $tokenHash AND browser_hash = $browserHash AND user_id = $userId
    AND expires_at > now()
  RETURNING provider, issuer, subject, email`
export const deleteOld = sql('sso_attempts.delete_old')`
  WITH links AS (DELETE FROM sso_links WHERE expires_at <= now())
  DELETE FROM sso_attempts WHERE expires_at <= now()`
/** The account of an identity, which is used now. */
export const useIdentity = sql('sso_identities.use')`
  UPDATE sso_identities SET last_used_at = now() WHERE issuer = $issuer AND subject = $subject
  RETURNING user_id`
/** @returns nothing if another account has the identity */
export const insertIdentity = sql('sso_identities.insert')`
  INSERT INTO sso_identities (id, user_id, provider, issuer, subject, email)
  VALUES ($id, $userId, $provider, $issuer, $subject, $email)
  ON CONFLICT ON CONSTRAINT sso_identities_subject DO NOTHING RETURNING id`
export const listIdentities = sql('sso_identities.list')`
  SELECT id, provider, email, created_at, last_used_at FROM sso_identities
  WHERE user_id = $userId ORDER BY id LIMIT 100`
export const deleteIdentity = sql('sso_identities.delete')`
  DELETE FROM sso_identities WHERE id = $id AND user_id = $userId
  RETURNING provider, issuer, email`
export const deleteIdentities = sql('sso_identities.delete_all')`
  DELETE FROM sso_identities WHERE user_id = $userId RETURNING id, provider, issuer, email`
export const findWorkspace = sql('sso_identities.workspace')`
  SELECT w.id FROM workspaces w WHERE w.slug = $slug AND w.status = 'active' AND NOT EXISTS (
    SELECT FROM memberships m WHERE m.workspace_id = w.id AND m.user_id = $userId)`
