/**
 * Opens a command's database: the one of DATABASE_URL, or the embedded one, which either belongs to
 * a running service or is started for the duration of the command.
 */
import { resolve } from 'node:path'
import type { PoolConfig } from 'pg'
import type { Config } from '../../platform/config/config.ts'
import {
  type EmbeddedOptions,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../platform/database/embedded.ts'
import { type Watch, watchEmbedded } from '../../platform/database/embedded-watch.ts'
import { migrate, pendingMigrations } from '../../platform/database/migrate.ts'
import type { Migration } from '../../platform/database/migration-files.ts'
import { connector } from '../../platform/database/primary-client.ts'
import { prepareRequestRole } from '../../platform/database/request-role.ts'
import { awaitServer, openServer } from '../../platform/database/server.ts'
import { migrateQueue } from '../../platform/jobs/queue.ts'
import { root } from '../../app/project.ts'
import type { Log } from '../../platform/log.ts'
import { CommandFailure, invocation, say } from '../command.ts'
import { requireDataFolder, makeDataFolder, refuseLostDatabase } from './data-folder.ts'

export interface OpenedDatabase {
  connection: PoolConfig
  stop(): Promise<void>
}

export interface ServedDatabase extends Watch {
  connection: PoolConfig
  /** Whether other processes may share it. */
  isShared: boolean
}

const waiting = { timeoutMs: 10_000, log: say }
export const migrations = new URL('migrations/', root)
const never = new Promise<never>(() => {})
const nothing = (): Promise<void> => Promise.resolve()

async function openUrl(url: string): Promise<OpenedDatabase> {
  return { connection: await openServer(url, waiting), stop: nothing }
}

/**
 * The database of a service; an embedded one is kept running, for this process and those that it
 * starts.
 * @param more of an embedded server
 */
export async function openForService(
  config: Config,
  log: Log,
  more: Pick<EmbeddedOptions, 'settings' | 'meanwhile'> = {},
): Promise<ServedDatabase> {
  if (config.databaseUrl !== undefined) {
    const opened = await openUrl(config.databaseUrl)
    return { ...opened, isShared: true, lost: never, release: () => {}, restarts: () => 0 }
  }
  makeDataFolder(config)
  refuseLostDatabase(config)
  const postgres = await startEmbeddedPostgres({
    ...more,
    dataDir: config.dataDir,
    // Other lines explain why a start takes long, so they are warnings that every user sees.
    log: (line) => log(line.startsWith('making') ? 'info' : 'warn', line),
  })
  const watch = watchEmbedded(postgres, (message, fields) => log('warn', message, fields))
  const { connection } = postgres
  return { connection, isShared: false, ...watch }
}

/** A database that a backup is restored into; an embedded one is made if there is none. */
export async function openForRestore(config: Config): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) return openUrl(config.databaseUrl)
  makeDataFolder(config)
  return startEmbeddedPostgres({ dataDir: config.dataDir, log: say })
}

/** The database of a short-lived command, with or without a running service. */
export async function openForCommand(config: Config): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) return openUrl(config.databaseUrl)
  requireDataFolder(config)
  const connection = await findEmbeddedPostgres(config.dataDir)
  if (connection !== undefined) {
    await awaitServer(connection, resolve(config.dataDir), waiting)
    return { connection, stop: nothing }
  }
  return startEmbeddedPostgres({ dataDir: config.dataDir, log: say })
}

/**
 * Migrates the database and prepares the role for requests.
 * @param role the role for requests, if they use one
 * @param through the number of the last migration, for the schema that a backup was made with: the
 * next start does the rest
 */
export async function applyMigrations(
  connection: PoolConfig,
  log: (line: string) => void,
  { role, through }: { role?: string | undefined; through?: number },
): Promise<void> {
  const connect = connector(connection)
  await migrate(connect, migrations, log, undefined, through)
  await migrateQueue(connection)
  if (role !== undefined) await prepareRequestRole(connect, role)
}

export const findPending = (connection: PoolConfig): Promise<Migration[]> =>
  pendingMigrations(connector(connection), migrations)

/** @throws CommandFailure if the database does not match this build */
export async function requireUpToDate(connection: PoolConfig): Promise<void> {
  const pending = await findPending(connection)
  if (pending.length === 0) return
  throw new CommandFailure(
    `The database lacks ${pending.length} migrations of this build. ` +
      `Run: ${invocation} migrate`,
  )
}
