/**
 * Queries on the counts of failed attempts. A row with factor `source` counts those of one source
 * at one secret; the others count a secret from all sources without a known device.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

export type Factor = 'password' | 'totp' | 'recovery'

/** After this many consecutive failures of a source, each further attempt of it must wait. */
export const FREE_TRIES = 10
const FIRST_DELAY_SECONDS = 30
const LONGEST_DELAY_SECONDS = 3_600

/** Failures at one password from all sources together, before more than it is asked for. */
export const PASSWORD_BUDGET = 50
/** In which time one of them is forgiven. */
export const DECAY_SECONDS = 1_800

/** Failures at one authenticator from all sources together, before each attempt must wait. */
const TOTP_FREE_TRIES = 50
const TOTP_DELAY_SECONDS = 1_800

const lockAfter = (tries: string): string =>
  `CASE WHEN ${tries} >= ${FREE_TRIES} THEN now() + make_interval(secs => least(
     ${LONGEST_DELAY_SECONDS}, ${FIRST_DELAY_SECONDS} * power(2, least(${tries} - ${FREE_TRIES}, 10))
   )) END`

/**
 * Counts an attempt for its sources, `$sources` in ascending order, unless a row `w` of them must
 * wait, or one that `waits` matches: then `counted` is empty. A source with a larger budget starts
 * below zero, at `$starts`. Rows are locked in the same order everywhere: sources, which have
 * longer subjects, then the count of all of them.
 */
const countedUnless = (waits: string): string => `
  sources AS (
    INSERT INTO failed_tries AS f (subject, factor, tries)
    SELECT source, 'source', start
    FROM unnest($sources::bytea[], $starts::int[]) AS s (source, start)
    WHERE NOT EXISTS (
      SELECT FROM failed_tries w
      WHERE w.locked_until > now()
        AND (w.subject = ANY($sources) AND w.factor = 'source' OR ${waits}))
    ON CONFLICT (subject, factor) DO UPDATE
    SET tries = f.tries + 1, locked_until = ${lockAfter('f.tries + 1')}, updated_at = now()
    WHERE f.locked_until IS NULL OR f.locked_until <= now()
    RETURNING subject
  ), counted AS (
    SELECT count(*) AS sources FROM sources HAVING count(*) = cardinality($sources::bytea[])
  )`

const decayed = `greatest(0, floor(
  extract(epoch FROM now() - f.updated_at) / ${DECAY_SECONDS}))::int`

/**
 * CTEs that count an attempt at the password `$whole`, with `$isKnown` if its source is a known
 * device. The last one, `reserved`, has no row if the source must wait; its `in_budget` says
 * whether the password has attempts left from sources that are not known.
 *
 * Its commit does not wait for the disk: the count is seen at once, and only a crash of the
 * database server can lose it, within about half a second (PostgreSQL documentation, 28.4). The
 * hash is verified after it, and opening the session is the commit that waits.
 */
export const RESERVE_PASSWORD_TRY = `quick AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true) AS setting
  ), ${countedUnless('false')}, whole AS (
    INSERT INTO failed_tries AS f (subject, factor, tries)
    SELECT $whole, 'password', 1 FROM counted WHERE NOT $isKnown
    ON CONFLICT (subject, factor) DO UPDATE
    SET tries = greatest(0, f.tries - ${decayed}) + 1, locked_until = NULL,
        updated_at = CASE WHEN f.tries <= ${decayed} THEN now()
                     ELSE f.updated_at + ${decayed} * interval '${DECAY_SECONDS} seconds' END
    WHERE f.tries - ${decayed} < ${PASSWORD_BUDGET}
    RETURNING tries
  ), reserved AS (
    SELECT $isKnown OR EXISTS (SELECT FROM whole) AS in_budget
    FROM counted JOIN quick ON quick.setting IS NOT NULL
  )`

const reserveTotp = sql('failed_tries.reserve_totp')`
  WITH ${countedUnless(`w.subject = $whole AND w.factor = 'totp' AND NOT $isKnown`)}, whole AS (
    INSERT INTO failed_tries AS f (subject, factor, tries) SELECT $whole, 'totp', 1 FROM counted
    ON CONFLICT (subject, factor) DO UPDATE
    SET tries = f.tries + 1, updated_at = now(),
        locked_until = CASE WHEN f.tries + 1 >= ${TOTP_FREE_TRIES}
                       THEN now() + interval '${TOTP_DELAY_SECONDS} seconds' END
    WHERE $isKnown OR f.locked_until IS NULL OR f.locked_until <= now()
    RETURNING tries
  )
  SELECT tries FROM whole`
const reserveRecovery = sql('failed_tries.reserve_recovery')`
  WITH ${countedUnless('false')} SELECT 1 AS tries! FROM counted`
/**
 * Seconds until the next attempt is accepted; negative or null if it is now. `$whole` is the count
 * of an authenticator, if the source has to wait for it.
 */
export const secondsToWait = sql('failed_tries.waiting')`
  SELECT max(extract(epoch FROM locked_until - now()))::float8 AS seconds FROM failed_tries
  WHERE (subject = ANY($sources) AND factor = 'source')
    OR (subject = $whole? AND factor = 'totp')`

const inOrder = 'ORDER BY length(f.subject) DESC, f.subject FOR UPDATE'
/** The rows of `$subjects`, locked in order. */
const LOCKED = `WITH mine AS (
  SELECT f.subject, f.factor FROM failed_tries f
    WHERE f.subject = ANY($subjects::bytea[]) ${inOrder}
)`

/** Undoes the count of an attempt that was never checked. */
export const giveTryBack = sql('failed_tries.give_back')`
  ${LOCKED}
  UPDATE failed_tries f SET tries = f.tries - 1, locked_until = NULL
  FROM mine WHERE f.subject = mine.subject AND f.factor = mine.factor`
export const countTries = sql('failed_tries.count')`
  SELECT tries FROM failed_tries WHERE subject = $subject AND factor = $factor`
export const clearTries = sql('failed_tries.clear')`
  ${LOCKED}
  DELETE FROM failed_tries f USING mine WHERE f.subject = mine.subject AND f.factor = mine.factor`
// Subjects of sources begin with that of all sources; no byte is greater than the added ones.
/** Clears a secret's count, and those of each source at it. */
export const clearAllTries = sql('failed_tries.clear_all')`
  WITH mine AS (
    SELECT f.subject, f.factor FROM failed_tries f
    WHERE f.subject >= $subject
      AND f.subject <= $subject || decode(repeat('ff', 32), 'hex') ${inOrder}
  )
  DELETE FROM failed_tries f USING mine WHERE f.subject = mine.subject AND f.factor = mine.factor`
// By then all failures at a password are forgiven, and waiting that long for the free attempts of a
// source yields fewer guesses than continuing through its locks.
/**
 * Deletes old counts of sources and of passwords, which anyone can create for any address. The
 * count of an authenticator stays until a success.
 */
export const deleteOldTries = sql('failed_tries.delete_old')`
  DELETE FROM failed_tries
  WHERE factor IN ('password', 'source') AND updated_at < now() - interval '25 hours'
    AND (locked_until IS NULL OR locked_until <= now())`

/** The keys by which an attempt is counted, as parameters of a statement. */
export interface CountKeys {
  sources: Buffer[]
  starts: number[]
  whole: Buffer
  isKnown: boolean
}

/**
 * Counts one attempt at a second factor, unless it must wait.
 * @returns the consecutive attempts at an authenticator, 1 for recovery codes; undefined if it must
 *   wait
 */
export async function reserveTry(
  db: Db,
  factor: 'totp' | 'recovery',
  keys: CountKeys,
): Promise<number | undefined> {
  const row = await (factor === 'totp'
    ? reserveTotp.first(db, keys)
    : reserveRecovery.first(db, keys))
  return row?.tries
}
