/** Queries on passkeys, and on the challenges that have been answered. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

const columns = 'id, user_id, name, created_at, last_used_at'

export const listPasskeys = sql('passkeys.list')`
  SELECT ${columns} FROM passkeys WHERE user_id = $userId ORDER BY id DESC`
export type PasskeyRow = RowOf<typeof listPasskeys>
export const countPasskeys = sql('passkeys.count')`
  SELECT count(*) AS passkeys FROM passkeys WHERE user_id = $userId`
/** The data of the present ones, so that a browser does not make a second one. */
export const findDescriptors = sql('passkeys.descriptors')`
  SELECT credential_id, transports FROM passkeys WHERE user_id = $userId ORDER BY id`
export const findByCredential = sql('passkeys.by_credential')`
  SELECT id, user_id, public_key FROM passkeys WHERE credential_id = $credentialId`
/** @returns nothing if an account has the credential already */
export const insertPasskey = sql('passkeys.insert')`
  INSERT INTO passkeys (id, user_id, credential_id, public_key, signatures, transports, name)
  VALUES ($id, $userId, $credentialId, $publicKey, $signatures, $transports, $name)
  ON CONFLICT (credential_id) DO NOTHING RETURNING ${columns}`
export const renamePasskey = sql('passkeys.rename')`
  UPDATE passkeys p SET name = $name FROM (SELECT id, name FROM passkeys WHERE id = $id) before
  WHERE p.id = before.id AND p.user_id = $userId
  RETURNING p.id, p.user_id, p.name, p.created_at, p.last_used_at, before.name AS former!`
export const deletePasskey = sql('passkeys.delete')`
  DELETE FROM passkeys WHERE id = $id AND user_id = $userId RETURNING name`
export const deletePasskeysOf = sql('passkeys.delete_all')`
  DELETE FROM passkeys WHERE user_id = $userId RETURNING id, name`
/**
 * Notes a use.
 * @returns nothing if the passkey is gone, or its count of signatures is not higher than before: it
 *   may have been copied. Authenticators that do not count send 0.
 */
export const usePasskey = sql('passkeys.use')`
  UPDATE passkeys SET signatures = $signatures, last_used_at = now()
  WHERE id = $id
    AND (signatures < $signatures::bigint OR (signatures = 0 AND $signatures::bigint = 0))
  RETURNING id`
/** @returns the challenge for one of concurrent callers, and nothing for the others */
export const useChallenge = sql('used_passkey_challenges.insert')`
  INSERT INTO used_passkey_challenges (challenge, expires_at)
  VALUES ($challenge, to_timestamp($expiresAt::double precision / 1000))
  ON CONFLICT (challenge) DO NOTHING RETURNING challenge`
/** Later than they expire: clocks differ. */
export const deleteOldChallenges = sql('used_passkey_challenges.delete_old')`
  DELETE FROM used_passkey_challenges WHERE expires_at < now() - interval '1 hour'`
