/** Queries on the keys that sign access tokens. */
import type { SigningKeyState } from '../../../platform/access/signing-keys.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'

/**
 * How long a retired key still verifies: four lifetimes of an access token, so that processes that
 * learn late of a rotation invalidate no token.
 */
const KEEP_RETIRED = `interval '1 hour'`

const usable = statement(
  'signing_keys.usable',
  `SELECT kid, issuer, sealed_private AS sealed, state FROM signing_keys
   WHERE state <> 'retired' OR retired_at > now() - ${KEEP_RETIRED}
   ORDER BY created_at, kid`,
)
const insert = statement(
  'signing_keys.insert',
  `INSERT INTO signing_keys (kid, issuer, public_key, sealed_private, state, activated_at)
   VALUES ($1, $2, $3, $4, $5, CASE WHEN $5 = 'active' THEN now() END)
   ON CONFLICT DO NOTHING`,
)
const retire = statement(
  'signing_keys.retire',
  `UPDATE signing_keys SET state = 'retired', retired_at = now()
   WHERE issuer = $1 AND state = 'active' AND ($2::text IS NULL OR kid = $2)
     AND ($3::integer IS NULL OR activated_at <= now() - make_interval(days => $3))
   RETURNING kid`,
)
const activate = statement(
  'signing_keys.activate',
  `UPDATE signing_keys SET state = 'active', activated_at = now()
   WHERE issuer = $1 AND state = 'next' RETURNING kid`,
)
const dropRetired = statement(
  'signing_keys.drop_retired',
  `DELETE FROM signing_keys WHERE state = 'retired' AND retired_at <= now() - ${KEEP_RETIRED}`,
)

export interface SigningKeyRow {
  kid: string
  issuer: string
  sealed: Buffer
  state: SigningKeyState
}

/** All issuers' keys that sign or still verify, oldest first. */
export const findUsableKeys = (db: Db): Promise<SigningKeyRow[]> => db.query(usable)

/** Does nothing if the issuer has a key in that state, or another process is adding one. */
export async function insertKey(
  db: Db,
  key: SigningKeyRow & { publicKey: Buffer; state: 'next' | 'active' },
): Promise<void> {
  await db.query(insert, [key.kid, key.issuer, key.publicKey, key.sealed, key.state])
}

/**
 * Retires the active key, if it is the given one and at least that old; null: any.
 * @returns its kid; undefined if nothing was retired
 */
export async function retireActive(
  db: Db,
  issuer: string,
  kid: string | null,
  ageDays: number | null,
): Promise<string | undefined> {
  return (await db.query<{ kid: string }>(retire, [issuer, kid, ageDays]))[0]?.kid
}

/** Makes the next key the active one. @returns its kid; undefined if there is none */
export async function activateNext(db: Db, issuer: string): Promise<string | undefined> {
  return (await db.query<{ kid: string }>(activate, [issuer]))[0]?.kid
}

/** Deletes the keys whose tokens have all expired. */
export async function dropRetiredKeys(db: Db): Promise<void> {
  await db.query(dropRetired)
}
