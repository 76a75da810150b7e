// A private, real Postgres in the data folder: made at the first start, stopped with the service,
// reachable only through a unix socket in a folder that nobody else may enter.
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { isDataFolderLocked, lockDataFolder } from './data-folder-lock.ts'
import { createCluster, hasCluster, waitForEarlierServer } from './embedded-cluster.ts'
import { chooseIdentity, handOver } from './embedded-identity.ts'
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
  /** Resolves when the server has ended, asked or not. */
  exited: Promise<{ code: number | null }>
}

export type EmbeddedOptions = {
  dataDir: string
  log: (line: string) => void
  /** For tests: as root, do without a user namespace. */
  forceIdentity?: 'other-user'
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
  let serverLog: ServerLog | undefined
  try {
    serverLog = await openServerLog(join(dataDir, 'postgres.log'))
    const server = await startWithin(dataDir, options, serverLog)
    return {
      ...server,
      stop: async () => {
        await server.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    const reason = error instanceof Error ? error.message : String(error)
    const tail = await serverLog?.tail()
    throw new Error(
      `The embedded Postgres did not start: ${reason}` +
        (tail ? `\nThe last lines of ${join(dataDir, 'postgres.log')}:\n${tail}` : ''),
      { cause: error },
    )
  } finally {
    await serverLog?.close()
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
  serverLog: ServerLog,
): Promise<EmbeddedPostgres> {
  const folder = join(dataDir, 'postgres')
  const exists = await hasCluster(folder)
  if (exists) await waitForEarlierServer(folder, options.log)
  const identity = await chooseIdentity({ dataDir, folder, force: options.forceIdentity })
  if (exists) await handOver(folder, identity)
  else {
    options.log(`making a new database in ${folder}`)
    await createCluster(folder, identity, serverLog.descriptor)
  }
  const socket = openSocketFolder(folder)
  const server: SupervisedProcess = startServer(folder, identity, serverLog.descriptor)
  try {
    await waitUntilReady(socket.host, server, options.log)
    const connection = await ensureDatabase(socket.host)
    return {
      connection,
      exited: server.exited,
      stop: async () => {
        await stopServer(server)
        socket.close()
      },
    }
  } catch (error) {
    await stopServer(server).catch(() => {})
    socket.close()
    throw error
  }
}
