/**
 * Copies a database out of and into Postgres, by the schema that the migrations make: only rows and
 * positions of sequences are copied. Neither needs rights beyond those of the tables' owner.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { AppliedMigration } from '../database/migration-plan.ts'
import type { BackedUpTable, BackupContents, BackupHeader, BackupPiece } from './backup-file.ts'
import { headerOf } from './backup-file.ts'
import { BackupRefused } from './tar.ts'

/** The size of the rows of a part in the text format, before compression. */
const PART_BYTES = 4 * 2 ** 20

/** The schema of the background queue, where its library records its own migrations. */
const QUEUE = 'graphile_worker'
const QUEUE_MIGRATIONS = `${QUEUE}.migrations`

const ours = (namespace: string): string => `${namespace} IN (current_schema(), '${QUEUE}')`
const nameIn = (namespace: string, name: string): string =>
  `CASE ${namespace} WHEN current_schema() THEN '' ELSE quote_ident(${namespace}) || '.' END
   || quote_ident(${name})`

// A partition is copied with its table.
const listTables = `
  SELECT ${nameIn('n.nspname', 'c.relname')} AS name,
    array_agg(quote_ident(a.attname) ORDER BY a.attnum)::text[] AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attgenerated = ''
  WHERE ${ours('n.nspname')} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
      AND d.objid = c.oid AND d.deptype = 'e')
  GROUP BY n.nspname, c.relname ORDER BY 1`

// They are read after the rows, and do not belong to the snapshot: none is behind a row.
const listSequences = `
  SELECT ${nameIn('schemaname', 'sequencename')} AS name, last_value::text AS last
  FROM pg_sequences WHERE ${ours('schemaname')} AND last_value IS NOT NULL ORDER BY 1`

const listForeignKeys = `
  SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name,
    pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
  WHERE contype = 'f' AND conparentid = 0 AND ${ours('n.nspname')} ORDER BY 1, 2`

const listTriggers = `
  SELECT tgrelid::regclass::text AS "table", quote_ident(tgname) AS name
  FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE NOT tgisinternal AND tgparentid = 0 AND ${ours('n.nspname')}`

/** Texts of values that any server reads alike, and no limit of time. */
const SETTINGS = `SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
  SET DateStyle = ISO; SET IntervalStyle = postgres; SET extra_float_digits = 3;
  SET client_encoding = 'UTF8'; SET TimeZone = 'UTC'; SET row_security = off`

async function tablesOf(client: Client): Promise<BackedUpTable[]> {
  const { rows } = await client.query<BackedUpTable>(listTables)
  return rows.filter(({ name }) => name !== QUEUE_MIGRATIONS)
}

/** Rows of a table in parts of about PART_BYTES. @returns how many rows they are */
async function* rowsOf(
  client: Client,
  { name, columns }: BackedUpTable,
): AsyncGenerator<BackupPiece, number> {
  const stream = client.query(copyTo(`COPY (SELECT ${columns.join(', ')} FROM ${name}) TO STDOUT`))
  let held: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held.push(chunk)
    bytes += chunk.length
    if (bytes < PART_BYTES) continue
    yield { kind: 'rows', table: name, text: Buffer.concat(held) }
    held = []
    bytes = 0
  }
  if (bytes > 0) yield { kind: 'rows', table: name, text: Buffer.concat(held) }
  return stream.rowCount
}

async function beginSnapshot(client: Client): Promise<BackedUpTable[]> {
  await client.query(SETTINGS)
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const tables = await tablesOf(client)
  // A migration waits until the backup is done, in place of changing tables under it.
  await client.query("SET LOCAL lock_timeout = '60s'")
  const names = tables.map(({ name }) => name).join(', ')
  await client.query(`LOCK TABLE ${names} IN ACCESS SHARE MODE`)
  return tables
}

export type BackupKnowledge = Pick<BackupHeader, 'mooring' | 'master_keys' | 'started_at'>

/**
 * The pieces of a backup: all rows as they are at one moment, while others write. Everything that
 * was committed before the call is in it.
 */
export async function* copyOut(client: Client, known: BackupKnowledge) {
  const tables = await beginSnapshot(client)
  const migrations = await client.query<AppliedMigration>(
    'SELECT number, name, checksum, compatible FROM schema_migrations ORDER BY number',
  )
  const version = await client.query<{ server_version: string }>('SHOW server_version')
  const postgres = version.rows[0]?.server_version ?? ''
  const header = headerOf({ ...known, postgres, migrations: migrations.rows, tables })
  yield { kind: 'header', header } as const
  const rows: BackupContents['rows'] = {}
  for (const table of tables) rows[table.name] = yield* rowsOf(client, table)
  const sequences = await client.query<BackupContents['sequences'][number]>(listSequences)
  await client.query('COMMIT')
  yield { kind: 'contents', contents: { rows, sequences: sequences.rows } } as const
}

/** @throws BackupRefused if the database has rows of an installation */
export async function requireEmpty(client: Client): Promise<void> {
  const found = await client.query<{ found: boolean }>(
    "SELECT to_regclass('installation') IS NOT NULL AS found",
  )
  if (found.rows[0]?.found !== true) return
  const used = await client.query(
    'SELECT FROM installation UNION ALL (SELECT FROM users LIMIT 1) LIMIT 1',
  )
  if (used.rowCount === 0) return
  throw new BackupRefused(
    'There is an installation in the database already. Restore into an empty database, or with an ' +
      'empty MOORING_DATA_DIR.',
  )
}

/** Rows that come in pieces, as one stream for each table. */
async function loadRows(
  client: Client,
  header: BackupHeader,
  pieces: AsyncIterator<BackupPiece>,
): Promise<BackupContents> {
  const loaded: BackupContents['rows'] = {}
  let next = await pieces.next()
  while (next.done !== true && next.value.kind === 'rows') {
    const { table } = next.value
    const columns = header.tables.find(({ name }) => name === table)?.columns ?? []
    async function* texts(): AsyncGenerator<Buffer> {
      while (next.done !== true && next.value.kind === 'rows' && next.value.table === table) {
        yield next.value.text
        next = await pieces.next()
      }
    }
    const target = client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`))
    await pipeline(Readable.from(texts()), target)
    loaded[table] = target.rowCount
  }
  if (next.done === true || next.value.kind !== 'contents') {
    throw new BackupRefused('The backup is incomplete.')
  }
  const { contents } = next.value
  for (const [table, count] of Object.entries(contents.rows)) {
    if ((loaded[table] ?? 0) === count) continue
    throw new BackupRefused(`The backup has ${loaded[table] ?? 0} of ${count} rows of ${table}.`)
  }
  return contents
}

/** The names become parts of statements, so only those of the schema are accepted. */
function requireKnown(tables: readonly BackedUpTable[], known: readonly BackedUpTable[]): void {
  for (const { name, columns } of tables) {
    const names = known.find((table) => table.name === name)?.columns ?? []
    if (names.length > 0 && columns.every((column) => names.includes(column))) continue
    throw new BackupRefused(`The backup has a table or column that the schema lacks: ${name}.`)
  }
}

/** Without keys to rows that come later, and without triggers, whose work is in the rows. */
async function setAside(client: Client) {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
    listForeignKeys,
  )
  const { rows: triggers } = await client.query<{ table: string; name: string }>(listTriggers)
  for (const { table, name } of keys) {
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  }
  for (const { table, name } of triggers) {
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`)
  }
  return async (): Promise<void> => {
    for (const { table, name } of triggers) {
      await client.query(`ALTER TABLE ${table} ENABLE TRIGGER ${name}`)
    }
    for (const { table, name, definition } of keys) {
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    }
  }
}

/**
 * Loads a backup into a migrated, empty database, in one transaction. Foreign keys are checked when
 * all rows are there.
 * @param finish more that belongs to the transaction
 */
export async function copyIn(
  client: Client,
  header: BackupHeader,
  pieces: AsyncIterator<BackupPiece>,
  finish: () => Promise<void>,
): Promise<void> {
  await client.query(SETTINGS)
  await client.query('BEGIN')
  const known = await tablesOf(client)
  requireKnown(header.tables, known)
  const tables = known.map(({ name }) => name).join(', ')
  const putBack = await setAside(client)
  // Migrations write a few rows, which the backup has as well.
  await client.query(`TRUNCATE ${tables}`)
  const { sequences } = await loadRows(client, header, pieces)
  for (const { name, last } of sequences) await client.query('SELECT setval($1, $2)', [name, last])
  await putBack()
  await finish()
  await client.query('COMMIT')
  await client.query(`ANALYZE ${tables}`)
}
