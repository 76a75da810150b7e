/**
 * Keeps what the planner knows of young tables true. Sessions keep their plans, those of named
 * statements and those of foreign keys alike; one that was made while a table was empty may read
 * the whole of it for each row, and lasts until the table is analyzed. Autovacuum looks once a
 * minute, in which a factory registers a hundred thousand devices.
 */
import { type Db, statement, unnamed } from './connect.ts'

// The size is that of the file: it is known at once, and rows that come and go don't change it.
const grown = statement(
  'statistics.grown',
  `SELECT c.oid::regclass::text AS name FROM pg_class c
   WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
     AND pg_relation_size(c.oid) > 2 * c.relpages::bigint * current_setting('block_size')::bigint`,
)

/**
 * Analyzes every table that takes more than twice the room it had when it was last looked at; all
 * sessions then plan anew. Safe to run in several processes at once. @returns the tables' names.
 */
export async function analyzeGrownTables(db: Db): Promise<string[]> {
  const names = (await db.query<{ name: string }>(grown)).map(({ name }) => name)
  // A name of the catalogue's own type comes quoted where it has to be.
  if (names.length > 0) await db.query(unnamed(`ANALYZE (SKIP_LOCKED) ${names.join(', ')}`))
  return names
}
