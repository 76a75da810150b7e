/** Applies one migration, and locates failures in its file. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, escapeLiteral } from 'pg'
import { codeOf } from '../lib/system-errors.ts'
import type { Migration } from './migration-files.ts'
import { overPartitions } from './partitions/concurrent-index.ts'
import { inTransaction } from './primary-client.ts'
import { lineOf, type Statement, splitStatements } from './sql-statements.ts'

export type Log = (line: string) => void

/**
 * In milliseconds. `lockTimeout`: how long a statement waits for a lock, and so how long it may
 * block others. `retryFor`: how long to retry a migration that could not get a lock. `waitFor`: how
 * long to wait for another process that migrates.
 */
export type MigrationTimeouts = { lockTimeout: number; retryFor: number; waitFor: number }

/** A migration failed; the message has the file, the line and Postgres' message. */
export class MigrationFailed extends Error {
  override name = 'MigrationFailed'
}

/** 55P03 lock_not_available, 40P01 deadlock_detected: contention, not an error. */
const lockConflicts = new Set(['55P03', '40P01'])

/** Applies one migration with its record; retries while others hold a lock that it needs. */
export async function applyWithRetries(
  client: Client,
  migration: Migration,
  log: Log,
  { lockTimeout, retryFor }: MigrationTimeouts,
): Promise<void> {
  const deadline = Date.now() + retryFor
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      await apply(client, migration, lockTimeout)
      return
    } catch (error) {
      const blocked = error instanceof MigrationFailed && lockConflicts.has(codeOf(error.cause))
      if (!blocked || Date.now() + pause > deadline) throw error
      log(`${migration.file} waits for a lock that others hold; trying again`)
      await sleep(pause)
    }
  }
}

async function apply(client: Client, migration: Migration, lockTimeout: number): Promise<void> {
  const statements = splitStatements(migration.sql)
  await prepareSession(client, lockTimeout)
  if (!migration.transactional) {
    for (const statement of statements) await runAlone(client, migration, statement, lockTimeout)
    await record(client, migration)
    return
  }
  await inTransaction(client, async () => {
    const transaction = await transactionId(client)
    for (const statement of statements) await run(client, migration, statement)
    if ((await transactionId(client)) !== transaction) {
      throw new MigrationFailed(
        `The migration ${migration.file} ended its own transaction, and so was applied without a ` +
          'record. Undo its changes manually, and remove COMMIT and ROLLBACK from it.',
      )
    }
    await record(client, migration)
  })
}

const ENDS_TRANSACTION = /(?:^|;)\s*(?:COMMIT|ROLLBACK|ABORT|END\s+(?:WORK|TRANSACTION))\b/im

/** A file and its record. Nobody uses the tables, so no index has to be built concurrently. */
function textOf({ sql, transactional, number, name, checksum, compatible }: Migration): string {
  const text = transactional ? sql : sql.replace(/\bCONCURRENTLY\b/gi, '')
  return `${text}
    ;RESET ALL;
    INSERT INTO schema_migrations (number, name, checksum, compatible)
    VALUES (${number}, ${escapeLiteral(name)}, ${escapeLiteral(checksum)}, ${compatible});
    SET statement_timeout = 0;`
}

/**
 * Applies all migrations to a database that has none, in one transaction and one message: a new
 * installation waits for it.
 * @returns false if it failed; then nothing has changed, and applying the migrations one by one
 *   finds the cause
 */
export async function applyTogether(
  client: Client,
  migrations: readonly Migration[],
  { lockTimeout }: MigrationTimeouts,
): Promise<boolean> {
  // A migration that ends a transaction is reported with its name when it is applied alone.
  if (migrations.some(({ sql }) => ENDS_TRANSACTION.test(sql))) return false
  await prepareSession(client, lockTimeout)
  const work = () => client.query(migrations.map(textOf).join('\n'))
  return inTransaction(client, work).then(
    () => true,
    () => false,
  )
}

async function prepareSession(client: Client, lockTimeout: number): Promise<void> {
  // Session settings of an earlier file must not affect this one.
  await client.query('RESET ALL')
  await client.query('SET statement_timeout = 0')
  await client.query(`SET lock_timeout = ${lockTimeout}`)
  // Ends long statements of a killed process soon, so that they do not block the next one. Not
  // supported by servers on some systems.
  await client.query("SET client_connection_check_interval = '1s'").catch(() => {})
}

/**
 * A CONCURRENTLY statement waits without blocking others, and interrupting it would leave an
 * invalid index: it has no time limit.
 */
async function runAlone(
  client: Client,
  migration: Migration,
  statement: Statement,
  lockTimeout: number,
): Promise<void> {
  const concurrent = /\bconcurrently\b/i.test(statement.text)
  const texts = concurrent ? await overPartitions(client, statement.text) : [statement.text]
  for (const text of texts) {
    const waits = /\bconcurrently\b/i.test(text)
    await client.query(`SET lock_timeout = ${waits ? 0 : lockTimeout}`)
    await run(client, migration, { ...statement, text })
  }
}

async function run(client: Client, migration: Migration, statement: Statement): Promise<void> {
  try {
    await client.query(statement.text)
  } catch (error) {
    throw new MigrationFailed(describeFailure(migration, statement, error), { cause: error })
  }
}

async function record(client: Client, migration: Migration): Promise<void> {
  const { number, name, checksum, compatible } = migration
  // The file may have set a search path that hides the table of records.
  await client.query('RESET ALL')
  await client.query(
    'INSERT INTO schema_migrations (number, name, checksum, compatible) VALUES ($1, $2, $3, $4)',
    [number, name, checksum, compatible],
  )
}

async function transactionId(client: Client): Promise<string | undefined> {
  const result = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id')
  return result.rows[0]?.id
}

function describeFailure(migration: Migration, statement: Statement, error: unknown): string {
  const { message, code, position, detail, where, hint } = error as {
    message: string
    code?: string
    position?: string
    detail?: string
    where?: string
    hint?: string
  }
  // The position counts characters from 1.
  const before = Array.from(statement.text)
    .slice(0, position ? Number(position) - 1 : 0)
    .join('')
  const line = statement.line + lineOf(before, before.length) - 1
  const column = position ? `, column ${before.length - before.lastIndexOf('\n')}` : ''
  const more = [detail, where, hint].filter((part) => part).map((part) => `\n  ${part}`)
  return (
    `The migration ${migration.file} failed at line ${line}${column}: ${message}` +
    `${code ? ` (${code})` : ''}${more.join('')}`
  )
}
