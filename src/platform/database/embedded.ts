/**
 * A private Postgres server in the data folder: created at the first start, stopped with the
 * service, and reachable only through a unix socket in a folder that nobody else can enter.
 */
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDataFolderLocked, lockDataFolder } from './data-folder-lock.ts'
import { messageOf } from '../lib/system-errors.ts'
import { waitForEarlierServer } from './earlier-server.ts'
import { createCluster, hasCluster } from './embedded-cluster.ts'
import { chooseIdentity, handOver, type Identity } from './embedded-identity.ts'
import {
  connectionThrough,
  type EmbeddedConnection,
  ensureDatabase,
  openServerLog,
  openSocketFolder,
  port,
  type ServerLog,
  startServer,
  stopServer,
  waitUntilReady,
} from './embedded-server.ts'
import { makeFolder } from './make-folder.ts'
import type { SupervisedProcess } from './supervised-process.ts'

export { DataFolderInUse } from './data-folder-lock.ts'
export type { EmbeddedConnection } from './embedded-server.ts'

export type EmbeddedPostgres = {
  connection: EmbeddedConnection
  /** Stops the server and waits for its end. Uncommitted work is rolled back. */
  stop(): Promise<void>
  /** Resolves when the server has ended for any reason; after a restart, for the new one. */
  readonly exited: Promise<{ code: number | null }>
  /** Restarts an ended server on the same folder and address. */
  restart(): Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  log: (line: string) => void
  /** For tests: as root, do not use a user namespace. */
  forceIdentity?: 'other-user'
  /** Overrides server settings. */
  settings?: Readonly<Record<string, string>>
  /**
   * Work of this process to be done while others work: initdb, then the server that starts. Called
   * for each of them, so a second call must be free.
   */
  meanwhile?: () => Promise<unknown>
}

/**
 * Starts Postgres in `<dataDir>/postgres`, creating folder and database if missing. Throws
 * DataFolderInUse if another service has the data folder, or an error ending with the last lines of
 * `<dataDir>/postgres.log`.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  makeFolder(options.dataDir, 0o700)
  const dataDir = await realpath(options.dataDir)
  const lock = lockDataFolder(dataDir)
  try {
    return await startWithin(dataDir, options, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Runs a start with the log open; failures include the server's last messages. */
async function logged<T>(dataDir: string, start: (log: ServerLog) => Promise<T>): Promise<T> {
  const path = join(dataDir, 'postgres.log')
  let log: ServerLog | undefined
  try {
    log = await openServerLog(path)
    return await start(log)
  } catch (error) {
    const reason = messageOf(error)
    const tail = await log?.tail()
    throw new Error(
      `The embedded Postgres did not start: ${reason}` +
        (tail ? `\nThe last lines of ${path}:\n${tail}` : ''),
      { cause: error },
    )
  } finally {
    await log?.close()
  }
}

/**
 * How to reach the Postgres of a running service with this data folder, or undefined if there is
 * none. For commands that run while the service does.
 */
export async function findEmbeddedPostgres(
  dataDir: string,
): Promise<EmbeddedConnection | undefined> {
  const path = await realpath(dataDir).catch(() => undefined)
  if (path === undefined || !isDataFolderLocked(path)) return undefined
  return connectionThrough(openSocketFolder(join(path, 'postgres')).host)
}

async function startWithin(
  dataDir: string,
  options: EmbeddedOptions,
  release: () => void,
): Promise<EmbeddedPostgres> {
  const folder = join(dataDir, 'postgres')
  const identity = await logged(dataDir, (log) => prepare(folder, options, log))
  const socket = openSocketFolder(folder)
  const open = () =>
    logged(dataDir, async (log) => {
      const started = startServer({
        folder,
        identity,
        output: log.descriptor,
        log: options.log,
        special: options.settings,
      })
      try {
        // Before the first attempt to connect, which would time out behind a busy event loop.
        await options.meanwhile?.()
        await waitUntilReady(socket.host, started, options.log)
        return { started, connection: await ensureDatabase(socket.host) }
      } catch (error) {
        await stopServer(started).catch(() => {})
        throw error
      }
    })
  try {
    let server: SupervisedProcess
    const { started, connection } = await open()
    server = started
    return {
      connection,
      get exited() {
        return server.exited
      },
      async restart() {
        await server.exited
        await waitForEarlierServer(folder, port, options.log)
        server = (await open()).started
      },
      async stop() {
        await stopServer(server)
        socket.close()
        release()
      },
    }
  } catch (error) {
    socket.close()
    throw error
  }
}

/**
 * Prepares the database folder: existing, unused, and owned by the user that will run the server.
 */
async function prepare(
  folder: string,
  options: EmbeddedOptions,
  serverLog: ServerLog,
): Promise<Identity> {
  const exists = await hasCluster(folder)
  if (exists) await waitForEarlierServer(folder, port, options.log)
  const identity = await chooseIdentity({
    dataDir: dirname(folder),
    folder,
    force: options.forceIdentity,
  })
  if (exists) await handOver(folder, identity)
  else {
    options.log(`making a new database in ${folder}`)
    await createCluster(folder, identity, serverLog.descriptor, options.meanwhile)
  }
  return identity
}
