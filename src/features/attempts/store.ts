/** Queries on the counts of attempts since the last success. */
import { type Db, statement } from '../../database/connect.ts'

export type Factor = 'password' | 'totp' | 'recovery'

/** After this many consecutive failures, each further attempt must wait. */
export const FREE_TRIES = 10
const FIRST_DELAY_SECONDS = 30
const LONGEST_DELAY_SECONDS = 900

const lockAfter = (tries: string): string =>
  `CASE WHEN ${tries} >= ${FREE_TRIES} THEN now() + make_interval(secs => least(
     ${LONGEST_DELAY_SECONDS}, ${FIRST_DELAY_SECONDS} * power(2, least(${tries} - ${FREE_TRIES}, 10))
   )) END`

const reserve = statement(
  'failed_tries.reserve',
  `INSERT INTO failed_tries AS f (subject, factor, tries) VALUES ($1, $2, 1)
   ON CONFLICT (subject, factor) DO UPDATE
   SET tries = f.tries + 1, locked_until = ${lockAfter('f.tries + 1')}, updated_at = now()
   WHERE f.locked_until IS NULL OR f.locked_until <= now()
   RETURNING tries`,
)
/** The text of `reserveTry`, for a statement that does more: takes $1 and $2, returns `tries`. */
export const RESERVE_TRY = reserve.text
const waiting = statement(
  'failed_tries.waiting',
  `SELECT extract(epoch FROM locked_until - now())::float8 AS seconds FROM failed_tries
   WHERE subject = $1 AND factor = $2`,
)
const giveBack = statement(
  'failed_tries.give_back',
  `UPDATE failed_tries SET tries = tries - 1, locked_until = NULL
   WHERE subject = $1 AND factor = $2 AND tries > 0`,
)
const count = statement(
  'failed_tries.count',
  'SELECT tries FROM failed_tries WHERE subject = $1 AND factor = $2',
)
const clear = statement(
  'failed_tries.clear',
  'DELETE FROM failed_tries WHERE subject = $1 AND factor = $2',
)
// A day is far longer than a lock. Waiting a day for ten free attempts yields fewer guesses than
// continuing through the locks.
const prune = statement(
  'failed_tries.prune',
  `DELETE FROM failed_tries WHERE factor = 'password' AND updated_at < now() - interval '1 day'
     AND (locked_until IS NULL OR locked_until <= now())`,
)

/**
 * Counts one attempt, unless the subject must wait.
 * @returns the count, or undefined if it must wait
 */
export async function reserveTry(
  db: Db,
  subject: Buffer,
  factor: Factor,
): Promise<number | undefined> {
  return (await db.query<{ tries: number }>(reserve, [subject, factor]))[0]?.tries
}

/** Seconds until the next attempt is accepted; negative or undefined if it is now. */
export async function secondsToWait(
  db: Db,
  subject: Buffer,
  factor: Factor,
): Promise<number | undefined> {
  const [row] = await db.query<{ seconds: number | null }>(waiting, [subject, factor])
  return row?.seconds ?? undefined
}

/** Undoes the count of an attempt that was never checked. */
export async function giveTryBack(db: Db, subject: Buffer, factor: Factor): Promise<void> {
  await db.query(giveBack, [subject, factor])
}

export async function countTries(db: Db, subject: Buffer, factor: Factor): Promise<number> {
  return (await db.query<{ tries: number }>(count, [subject, factor]))[0]?.tries ?? 0
}

export async function clearTries(db: Db, subject: Buffer, factor: Factor): Promise<void> {
  await db.query(clear, [subject, factor])
}

/**
 * Deletes day-old counts for passwords, which anyone can create for any address. Counts of second
 * factors belong to accounts and stay until a success.
 */
export async function pruneTries(db: Db): Promise<void> {
  await db.query(prune)
}
