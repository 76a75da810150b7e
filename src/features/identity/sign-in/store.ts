/** Queries on mailed sign-in codes: at most one for each account. */
import { type Db, statement } from '../../../platform/database/connect.ts'

/** How long a code can be used, and how long no other one is mailed. */
export const CODE_MINUTES = 10

const put = statement(
  'sign_in_codes.put',
  `INSERT INTO sign_in_codes AS c (user_id, code_hash, expires_at)
   VALUES ($1, $2, now() + interval '${CODE_MINUTES} minutes')
   ON CONFLICT (user_id) DO UPDATE
   SET code_hash = excluded.code_hash, expires_at = excluded.expires_at
   WHERE c.expires_at <= now() RETURNING user_id`,
)
const use = statement(
  'sign_in_codes.use',
  `DELETE FROM sign_in_codes WHERE user_id = $1 AND code_hash = $2 AND expires_at > now()
   RETURNING user_id`,
)
const prune = statement(
  'sign_in_codes.prune',
  'DELETE FROM sign_in_codes WHERE expires_at <= now()',
)

/** @returns false while the account has another code */
export async function putSignInCode(db: Db, userId: string, codeHash: Buffer): Promise<boolean> {
  return (await db.query(put, [userId, codeHash])).length > 0
}

/** Consumes a code. @returns whether it was good; true for one of concurrent calls */
export async function useSignInCode(db: Db, userId: string, codeHash: Buffer): Promise<boolean> {
  return (await db.query(use, [userId, codeHash])).length > 0
}

export async function deleteOldSignInCodes(db: Db): Promise<void> {
  await db.query(prune)
}
