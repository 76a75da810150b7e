/** Queries on the keys that sign access tokens. */
import { sql } from '../../../platform/database/sql.ts'

/**
 * How long a retired key still verifies: four lifetimes of an access token, so that processes that
 * learn late of a rotation invalidate no token.
 */
const KEEP_RETIRED = `interval '1 hour'`

/** All issuers' keys that sign or still verify, oldest first. */
export const findUsableKeys = sql('signing_keys.usable')`
  SELECT kid, issuer, sealed_private AS sealed, state FROM signing_keys
  WHERE state <> 'retired' OR retired_at > now() - ${KEEP_RETIRED}
  ORDER BY created_at, kid`
/** Does nothing if the issuer has a key in that state, or another process is adding one. */
export const insertKey = sql('signing_keys.insert')`
  INSERT INTO signing_keys (kid, issuer, public_key, sealed_private, state, activated_at)
  VALUES ($kid, $issuer, $publicKey, $encryptedPrivate, $state?, CASE
    WHEN $state? = 'active' THEN now() END)
  ON CONFLICT DO NOTHING`
/** Retires the active key, if it is the given one and at least that old; null: any. */
export const retireActive = sql('signing_keys.retire')`
  UPDATE signing_keys SET state = 'retired', retired_at = now()
  WHERE issuer = $issuer AND state = 'active' AND ($kid?::text IS NULL OR kid = $kid)
    AND ($days?::integer IS NULL OR activated_at <= now() - make_interval(days => $days))
  RETURNING kid`
/** Makes the next key the active one. */
export const activateNext = sql('signing_keys.activate')`
  UPDATE signing_keys SET state = 'active', activated_at = now()
  WHERE issuer = $issuer AND state = 'next' RETURNING kid`
/** Deletes the keys whose tokens have all expired. */
export const dropRetiredKeys = sql('signing_keys.drop_retired')`
  DELETE FROM signing_keys WHERE state = 'retired' AND retired_at <= now() - ${KEEP_RETIRED}`
