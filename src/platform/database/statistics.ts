/**
 * Keeps planner statistics of young tables current. Sessions cache plans, also of foreign key
 * checks; a plan made while a table was empty may scan it completely for each row until the table
 * is analyzed. Autovacuum runs once a minute, in which a factory registers a hundred thousand
 * devices.
 */
import { type Db, unnamed } from './connect.ts'
import { sql } from './sql.ts'

// Uses the file size: available immediately, and unaffected by churn.
const grown = sql('statistics.grown')`
  SELECT c.oid::regclass::text AS name! FROM pg_class c
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    AND pg_relation_size(c.oid) > 2 * c.relpages::bigint * current_setting('block_size')::bigint`

/**
 * Analyzes every table that has more than doubled its size since the last check, which makes all
 * sessions replan. Safe in several processes at once. @returns the tables' names
 */
export async function analyzeGrownTables(db: Db): Promise<string[]> {
  const names = (await grown.rows(db)).map(({ name }) => name)
  // A regclass name is quoted if necessary.
  if (names.length > 0) await db.query(unnamed(`ANALYZE (SKIP_LOCKED) ${names.join(', ')}`))
  return names
}
