/**
 * Migrates a database to this build's schema. Several services may start at once: one works, the
 * others wait and then find nothing to do. migrations/README.md has the rules for the files.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import {
  applyTogether,
  applyWithRetries,
  type Log,
  type MigrationTimeouts,
} from './migration-apply.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import {
  type AppliedMigration,
  type MigrationPlan,
  MigrationRefused,
  planMigrations,
} from './migration-plan.ts'
import { type Connect, withClient } from './primary-client.ts'

export { MigrationFailed, type MigrationTimeouts } from './migration-apply.ts'
export { MigrationRefused }

const timeouts: MigrationTimeouts = { lockTimeout: 500, retryFor: 120_000, waitFor: 900_000 }

/**
 * Applies pending migrations in order and returns the names of the files applied. Throws
 * MigrationRefused before touching anything, or MigrationFailed; either way the next call continues
 * with the first unrecorded migration.
 * @param connect not through a pooler in transaction mode
 * @param through the number of the last migration to apply, for a backup of an earlier build
 */
export async function migrate(
  connect: Connect,
  folder: string | URL,
  log: Log,
  limits: MigrationTimeouts = timeouts,
  through = Infinity,
): Promise<{ applied: string[] }> {
  const files = (await readMigrations(folder)).filter(({ number }) => number <= through)
  return withClient(connect, async (client) => {
    const before = await readPlan(client, files)
    if (before.unknown.length > 0) {
      log(`the database has later migrations of a newer build: ${before.unknown.join(', ')}`)
    }
    if (before.pending.length === 0) return { applied: [] }
    await takeLock(client, log, limits)
    await client.query(recordTable)
    const { pending } = await readPlan(client, files)
    const begun = Date.now()
    const isNew = pending.length === files.length
    if (isNew && (await applyTogether(client, pending, limits))) {
      log(`applied ${pending.length} migrations in ${Date.now() - begun} ms`)
      return { applied: pending.map(({ file }) => file) }
    }
    const applied: string[] = []
    for (const migration of pending) {
      const started = Date.now()
      await applyWithRetries(client, migration, log, limits)
      log(`applied ${migration.file} in ${Date.now() - started} ms`)
      applied.push(migration.file)
    }
    return { applied }
  })
}

/** The migrations that `migrate` would apply. Writes nothing; throws MigrationRefused likewise. */
export async function pendingMigrations(
  connect: Connect,
  folder: string | URL,
): Promise<Migration[]> {
  const files = await readMigrations(folder)
  const plan = await withClient(connect, (client) => readPlan(client, files))
  return plan.pending
}

/**
 * The number of the last migration of a backup, if this build has all of them unchanged.
 * @throws MigrationRefused otherwise
 */
export async function lastMigrationOf(
  applied: AppliedMigration[],
  folder: string | URL,
): Promise<number> {
  const { unknown } = planMigrations(await readMigrations(folder), applied)
  if (unknown.length === 0) return Math.max(...applied.map(({ number }) => number))
  throw new MigrationRefused(`this build does not have its migrations ${unknown.join(', ')}`)
}

const recordTable = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    compatible boolean NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`

async function readPlan(client: Client, files: Migration[]): Promise<MigrationPlan> {
  const table = await client.query<{ found: boolean }>(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS found",
  )
  if (!table.rows[0]?.found) return planMigrations(files, [])
  const applied = await client.query<AppliedMigration>(
    'SELECT number, name, checksum, compatible FROM schema_migrations ORDER BY number',
  )
  return planMigrations(files, applied.rows)
}

/** Arbitrary numbers that nothing else uses in this database. */
const lockKey = [1_836_019_570, 1] as const
const pollEvery = 200
const noticeEvery = 10_000

/**
 * Not pg_advisory_lock: a session waiting in it holds a snapshot, on which a CREATE INDEX
 * CONCURRENTLY of the working process would wait forever.
 */
async function takeLock(client: Client, log: Log, { waitFor }: MigrationTimeouts): Promise<void> {
  const started = Date.now()
  let lastNotice = 0
  for (;;) {
    const result = await client.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS taken',
      [...lockKey],
    )
    if (result.rows[0]?.taken) return
    const now = Date.now()
    if (now - started > waitFor) {
      throw new Error(
        `Another process has been migrating this database for ${Math.round(waitFor / 1000)} ` +
          `seconds (${await lockHolder(client)}). Wait for it, or stop it, and start again.`,
      )
    }
    if (now - lastNotice > noticeEvery) {
      lastNotice = now
      log(`waiting for another process that migrates this database (${await lockHolder(client)})`)
    }
    await sleep(pollEvery)
  }
}

async function lockHolder(client: Client): Promise<string> {
  const result = await client.query<{ pid: number }>(
    `SELECT pid FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND classid = $1 AND objid = $2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [...lockKey],
  )
  const pid = result.rows[0]?.pid
  return pid === undefined ? 'gone by now' : `Postgres process ${pid}`
}
