/** Queries on mailed sign-in codes: at most one for each account. */
import { sql } from '../../../platform/database/sql.ts'

/** How long a code can be used, and how long no other one is mailed. */
export const CODE_MINUTES = 10

/** @returns false while the account has another code */
export const putSignInCode = sql('sign_in_codes.put')`
  INSERT INTO sign_in_codes AS c (user_id, code_hash, expires_at)
  VALUES ($userId, $codeHash, now() + interval '${CODE_MINUTES} minutes')
  ON CONFLICT (user_id) DO UPDATE
  SET code_hash = excluded.code_hash, expires_at = excluded.expires_at
  WHERE c.expires_at <= now() RETURNING user_id`
/** Consumes a code. @returns whether it was good; true for one of concurrent calls */
export const useSignInCode = sql('sign_in_codes.use')`
  DELETE FROM sign_in_codes WHERE user_id = $userId AND code_hash = $codeHash
    AND expires_at > now()
  RETURNING user_id`
export const deleteOldSignInCodes = sql('sign_in_codes.delete_old')`
  DELETE FROM sign_in_codes WHERE expires_at <= now()`
