/**
 * `CREATE INDEX CONCURRENTLY`, which Postgres refuses on a partitioned table: the index is built on
 * each partition without blocking writes, and then made one of the whole table, which is short
 * (PostgreSQL documentation, "CREATE INDEX").
 */
import type { Client } from 'pg'

const CREATE = /^\s*CREATE\s+(UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(\w+)\s+ON\s+(\w+)\b(.*)$/is
const DROP = /^\s*DROP\s+INDEX\s+CONCURRENTLY\s+(?:IF\s+EXISTS\s+)?(\w+)\s*;?\s*$/is

const partitions = `
  SELECT relname AS name, substring(relname FROM '_p[0-9]+$') AS suffix
  FROM pg_inherits JOIN pg_class ON oid = inhrelid
  WHERE inhparent = to_regclass($1) AND relispartition ORDER BY relname COLLATE "C"`

// An interrupted run may leave only indexes of partitions.
const left = `
  SELECT relname AS name, relkind = 'I' AS "isWhole" FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace
    AND (relname = $1 AND relkind = 'I' OR relkind = 'i' AND relname ~ ('^' || $1 || '_p[0-9]{3}$'))
  ORDER BY relkind = 'i'`

/** @returns the statements to run instead; the statement itself where nothing is partitioned */
export async function overPartitions(client: Client, text: string): Promise<string[]> {
  const drop = DROP.exec(text)
  if (drop !== null) {
    const { rows } = await client.query<{ name: string; isWhole: boolean }>(left, [drop[1]])
    const [first] = rows
    if (first === undefined) return [text]
    if (first.isWhole) return [`DROP INDEX ${first.name}`]
    return rows.map(({ name }) => `DROP INDEX CONCURRENTLY ${name}`)
  }
  const [, unique = '', index = '', table = '', rest = ''] = CREATE.exec(text) ?? []
  if (index === '') return [text]
  const { rows } = await client.query<{ name: string; suffix: string }>(partitions, [table])
  if (rows.length === 0) return [text]
  return [
    ...rows.map(
      ({ name, suffix }) =>
        `CREATE ${unique}INDEX CONCURRENTLY ${index}${suffix} ON ${name}${rest}`,
    ),
    `CREATE ${unique}INDEX ${index} ON ${table}${rest}`,
  ]
}
