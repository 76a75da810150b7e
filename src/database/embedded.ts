// A private, real Postgres in the data folder: made at the first start, stopped with the service,
// reachable only through a unix socket in a folder that nobody else may enter.
import { mkdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDataFolderLocked, lockDataFolder } from './data-folder-lock.ts'
import { createCluster, hasCluster, waitForEarlierServer } from './embedded-cluster.ts'
import { chooseIdentity, handOver, type Identity } from './embedded-identity.ts'
import {
  connectionThrough,
  type EmbeddedConnection,
  ensureDatabase,
  openServerLog,
  openSocketFolder,
  type ServerLog,
  startServer,
  stopServer,
  waitUntilReady,
} from './embedded-server.ts'
import type { SupervisedProcess } from './supervised-process.ts'

export { DataFolderInUse } from './data-folder-lock.ts'
export type { EmbeddedConnection } from './embedded-server.ts'

export type EmbeddedPostgres = {
  connection: EmbeddedConnection
  /** Stops the server and waits for its end. What is not committed is rolled back. */
  stop(): Promise<void>
  /** Resolves when the server has ended, asked or not; after a restart, that of the new one. */
  readonly exited: Promise<{ code: number | null }>
  /** Starts an ended server again, on the same folder and under the same address. */
  restart(): Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  log: (line: string) => void
  /** For tests: as root, do without a user namespace. */
  forceIdentity?: 'other-user'
  /** For tests: settings of the server that differ from those of the service. */
  settings?: Readonly<Record<string, string>>
}

/**
 * Starts Postgres in `<dataDir>/postgres`; the folder and the database are made if missing.
 * Throws DataFolderInUse if another service has the data folder, or an error that ends with the
 * last lines of `<dataDir>/postgres.log`.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  const dataDir = await realpath(options.dataDir)
  const lock = lockDataFolder(dataDir)
  try {
    return await startWithin(dataDir, options, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Runs a start with the open log; its failure is told with what the server said last. */
async function logged<T>(dataDir: string, start: (log: ServerLog) => Promise<T>): Promise<T> {
  const path = join(dataDir, 'postgres.log')
  let log: ServerLog | undefined
  try {
    log = await openServerLog(path)
    return await start(log)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
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
 * How to reach the Postgres that a running service has started in the data folder, or undefined if
 * none holds the folder. For commands that change something while the service runs.
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
      const started = startServer(folder, identity, log.descriptor, options.settings)
      try {
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
        await waitForEarlierServer(folder, options.log)
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

/** Makes the database folder ready for a server: there, free, and owned by who will run it. */
async function prepare(
  folder: string,
  options: EmbeddedOptions,
  serverLog: ServerLog,
): Promise<Identity> {
  const exists = await hasCluster(folder)
  if (exists) await waitForEarlierServer(folder, options.log)
  const identity = await chooseIdentity({
    dataDir: dirname(folder),
    folder,
    force: options.forceIdentity,
  })
  if (exists) await handOver(folder, identity)
  else {
    options.log(`making a new database in ${folder}`)
    await createCluster(folder, identity, serverLog.descriptor)
  }
  return identity
}
