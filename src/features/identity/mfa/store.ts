/** Queries on authenticators, recovery codes and pending sign-ins. */
import { type Db, statement } from '../../../platform/database/connect.ts'

/** Attempts per pending sign-in. */
const TRIES_PER_CHALLENGE = 5
export const CHALLENGE_SECONDS = 300

const totp = statement(
  'user_totp.find',
  'SELECT sealed_secret, confirmed_at FROM user_totp WHERE user_id = $1',
)
const putUnconfirmed = statement(
  'user_totp.put_unconfirmed',
  `INSERT INTO user_totp AS t (user_id, sealed_secret) VALUES ($1, $2)
   ON CONFLICT (user_id) DO UPDATE
   SET sealed_secret = excluded.sealed_secret, last_step = 0, created_at = now()
   WHERE t.confirmed_at IS NULL RETURNING user_id`,
)
const confirm = statement(
  'user_totp.confirm',
  `UPDATE user_totp SET confirmed_at = now(), last_step = $3
   WHERE user_id = $1 AND sealed_secret = $2 AND confirmed_at IS NULL RETURNING user_id`,
)
const useStep = statement(
  'user_totp.use_step',
  `UPDATE user_totp SET last_step = $3
   WHERE user_id = $1 AND sealed_secret = $2 AND confirmed_at IS NOT NULL AND last_step < $3
   RETURNING user_id`,
)
const remove = statement(
  'user_totp.remove',
  `WITH codes AS (DELETE FROM user_recovery_codes WHERE user_id = $1),
        challenges AS (DELETE FROM mfa_challenges WHERE user_id = $1)
   DELETE FROM user_totp WHERE user_id = $1`,
)
const dropCodes = statement(
  'user_recovery_codes.drop',
  'DELETE FROM user_recovery_codes WHERE user_id = $1',
)
const addCodes = statement(
  'user_recovery_codes.add',
  'INSERT INTO user_recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])',
)
const useCode = statement(
  'user_recovery_codes.use',
  'DELETE FROM user_recovery_codes WHERE user_id = $1 AND code_hash = $2 RETURNING user_id',
)
const countCodes = statement(
  'user_recovery_codes.count',
  'SELECT count(*) AS codes FROM user_recovery_codes WHERE user_id = $1',
)
const addChallenge = statement(
  'mfa_challenges.insert',
  `WITH account AS (
     SELECT id FROM users WHERE id = $2 AND status = 'active' AND sign_in_version = $3
       AND ($5::uuid IS NULL
            OR EXISTS (SELECT FROM memberships WHERE workspace_id = $5 AND user_id = $2))
     FOR SHARE
   )
   INSERT INTO mfa_challenges (id, user_id, salt, expires_at, limited_to)
   SELECT $1, account.id, $4, now() + make_interval(secs => ${CHALLENGE_SECONDS}), $5 FROM account
   RETURNING id`,
)
const open = `used_at IS NULL AND expires_at > now()`
const openChallenge = statement(
  'mfa_challenges.open',
  `SELECT user_id, salt, limited_to FROM mfa_challenges WHERE id = $1 AND ${open}`,
)
const tryChallenge = statement(
  'mfa_challenges.try',
  `UPDATE mfa_challenges SET tries = tries + 1
   WHERE id = $1 AND tries < ${TRIES_PER_CHALLENGE} AND ${open} RETURNING id`,
)
const useChallenge = statement(
  'mfa_challenges.use',
  `UPDATE mfa_challenges SET used_at = now() WHERE id = $1 AND ${open} RETURNING id`,
)
const prune = statement(
  'mfa_challenges.prune',
  'DELETE FROM mfa_challenges WHERE expires_at < now()',
)

export interface ChallengeRow {
  user_id: string
  salt: Buffer
  limited_to: string | null
}

export interface TotpRow {
  sealed_secret: Buffer
  /** Null: enrolment has started and is not confirmed by a code yet. */
  confirmed_at: number | null
}

export async function findTotp(db: Db, userId: string): Promise<TotpRow | undefined> {
  return (await db.query<TotpRow>(totp, [userId]))[0]
}

/** Replaces an unconfirmed secret. @returns false if a secret is confirmed */
export async function putUnconfirmedTotp(
  db: Db,
  userId: string,
  encryptedSecret: Buffer,
): Promise<boolean> {
  return (await db.query(putUnconfirmed, [userId, encryptedSecret])).length > 0
}

/** @param step of the code, which this consumes @returns whether it could be confirmed */
export async function confirmTotp(
  db: Db,
  userId: string,
  encryptedSecret: Buffer,
  step: number,
): Promise<boolean> {
  return (await db.query(confirm, [userId, encryptedSecret, step])).length > 0
}

/** Consumes a time step and all earlier ones. @returns whether it was still valid */
export async function useTotpStep(
  db: Db,
  userId: string,
  encryptedSecret: Buffer,
  step: number,
): Promise<boolean> {
  return (await db.query(useStep, [userId, encryptedSecret, step])).length > 0
}

/** Removes the authenticator, the recovery codes and pending sign-ins. */
export async function removeTotp(db: Db, userId: string): Promise<void> {
  await db.query(remove, [userId])
}

/** Replaces all codes. */
export async function replaceRecoveryCodes(
  db: Db,
  userId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await db.query(dropCodes, [userId])
  await db.query(addCodes, [userId, hashes])
}

/** Consumes a recovery code. @returns whether it existed */
export async function useRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  return (await db.query(useCode, [userId, hash])).length > 0
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  return (await db.query<{ codes: number }>(countCodes, [userId]))[0]?.codes ?? 0
}

/**
 * @returns false if the account is not active, its credentials have changed, or it is not a member
 * of the only workspace
 */
export async function insertChallenge(
  db: Db,
  challenge: {
    id: string
    userId: string
    version: number
    salt: Buffer
    limitedTo: string | null
  },
): Promise<boolean> {
  const { id, userId, version, salt, limitedTo } = challenge
  return (await db.query(addChallenge, [id, userId, version, salt, limitedTo])).length > 0
}

export async function findOpenChallenge(db: Db, id: string): Promise<ChallengeRow | undefined> {
  return (await db.query<ChallengeRow>(openChallenge, [id]))[0]
}

/** Counts an attempt. @returns false if none is left or the sign-in has ended */
export async function countChallengeTry(db: Db, id: string): Promise<boolean> {
  return (await db.query(tryChallenge, [id])).length > 0
}

/** @returns whether it was open; true for one of concurrent calls */
export async function closeChallenge(db: Db, id: string): Promise<boolean> {
  return (await db.query(useChallenge, [id])).length > 0
}

export async function deleteExpiredChallenges(db: Db): Promise<void> {
  await db.query(prune)
}
