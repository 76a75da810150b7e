/** Queries on responses stored for `Idempotency-Key`. */
import { type RowOf, sql } from '../database/sql.ts'

/** How long a response is kept; part of the API's contract. */
const KEPT_HOURS = 24

const alive = `now() - interval '${KEPT_HOURS} hours'`

/** Takes a slot until the transaction ends; no row if another one holds it. */
export const lockSlot = sql('idempotency_keys.lock')`
  SELECT WHERE pg_try_advisory_xact_lock($key::bigint)`
export const findStoredResponse = sql('idempotency_keys.by_key')`
  SELECT fingerprint, sealed FROM idempotency_keys
  WHERE scope = $scope AND key_hash = $keyHash AND created_at > ${alive}`
/** Stores a response, replacing an expired one. */
export const saveResponse = sql('idempotency_keys.save')`
  INSERT INTO idempotency_keys (scope, key_hash, fingerprint, sealed)
  VALUES ($scope, $keyHash, $fingerprint, $sealed)
  ON CONFLICT (scope, key_hash) DO UPDATE
  SET fingerprint = excluded.fingerprint, sealed = excluded.sealed, created_at = now()`
export const deleteExpired = sql('idempotency_keys.expire')`
  WITH old AS (
    SELECT scope, key_hash FROM idempotency_keys WHERE created_at <= ${alive}
    ORDER BY created_at LIMIT $limit FOR UPDATE SKIP LOCKED
  )
  DELETE FROM idempotency_keys k USING old
  WHERE k.scope = old.scope AND k.key_hash = old.key_hash
  RETURNING 1`

/** SHA-256 of scope and key: stored rows reveal neither the caller nor its key. */
export interface SlotHashes {
  scope: Buffer
  keyHash: Buffer
}

export type StoredResponseRow = RowOf<typeof findStoredResponse>
