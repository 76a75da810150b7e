// The running server: its settings, how its readiness is seen, how it is stopped, and what its log
// said last.
import { closeSync, openSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { postmasterPid, superuser, waitForEarlierServer } from './embedded-cluster.ts'
import { folderArgument, type Identity } from './embedded-identity.ts'
import { startSupervised, type SupervisedProcess } from './supervised-process.ts'

export type EmbeddedConnection = {
  /** The socket's folder, for `pg`. Only good in this process: it may name an open file of it. */
  host: string
  port: number
  user: string
  database: string
  /** Said outright, as PGSSLMODE in the environment would ask for TLS on a socket that has none. */
  ssl: false
}

/** The port only names the socket file: nothing listens on TCP. */
const port = 5432
const role = 'mooring'
const database = 'mooring'

const settings = {
  listen_addresses: '',
  // Relative to the working directory, which is the database folder: its mode is 0700, and its
  // path may be longer than the 107 bytes that the address of a socket can hold.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: String(port),
  // Given here because the command line outranks the files: an acknowledged row is on the disk.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  // A failed statement is told to the service, which logs what matters. Left out here, the log
  // stays small, and free of the values that such messages quote.
  log_min_messages: 'log',
}

export function startServer(
  folder: string,
  identity: Identity,
  output: number,
  special: Readonly<Record<string, string>> = {},
): SupervisedProcess {
  const options = Object.entries({ ...settings, ...special }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const server = startSupervised({
    command: [
      ...identity.prefix,
      join(identity.binaries.root, 'bin', 'postgres'),
      '-D',
      folderArgument(identity, folder),
      ...options,
    ],
    folder,
    output,
    identity: identity.ids,
  })
  return { ...server, exited: server.exited.then((end) => afterEnd(end, folder)) }
}

const impatience = { interruptAfter: 0, quitAfter: 10_000, giveUpAfter: 30_000 }

// The shell that watches the server ends with the server's status. If the shell itself was killed,
// the server may still be there, without a watcher: then it is stopped here.
async function afterEnd(end: { code: number | null }, folder: string) {
  if (end.code !== null) return end
  const pid = await postmasterPid(folder)
  if (pid !== undefined) await waitForEarlierServer(folder, () => {}, impatience)
  return end
}

const quitAfter = 10_000

/** A fast shutdown: sessions are cut, and a checkpoint is written. Immediate after 10 seconds. */
export async function stopServer(server: SupervisedProcess): Promise<void> {
  server.signal('INT')
  const timer = setTimeout(() => server.signal('QUIT'), quitAfter)
  try {
    await server.exited
  } finally {
    clearTimeout(timer)
  }
}

const answerWithin = 60_000
const recoveryNoticeEvery = 10_000

/**
 * Waits until the server takes connections. Recovery after a crash may take as long as it needs.
 */
export async function waitUntilReady(
  host: string,
  server: SupervisedProcess,
  log: (line: string) => void,
): Promise<void> {
  const end: { code?: number | null } = {}
  server.exited.then(
    ({ code }) => (end.code = code),
    () => (end.code = null),
  )
  const started = Date.now()
  let lastNotice = started
  for (;;) {
    if (end.code !== undefined) throw new Error(`the server ended with status ${end.code}`)
    const state = await answer(host)
    if (state === 'ready') return
    if (state === 'none' && Date.now() - started > answerWithin) {
      throw new Error(`the server did not answer within ${answerWithin / 1000} seconds`)
    }
    if (Date.now() - lastNotice > recoveryNoticeEvery) {
      lastNotice = Date.now()
      log('Postgres is recovering from an unclean stop; this may take a while')
    }
    await sleep(20)
  }
}

async function answer(host: string): Promise<'ready' | 'starting' | 'none'> {
  try {
    await withSuperuser(host, async () => {})
    return 'ready'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // 57P03, cannot_connect_now: it is there, and not yet open.
    if (code === '57P03') return 'starting'
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'none'
    throw error
  }
}

/** Makes the service's role and database if they are missing, and returns how to connect. */
export async function ensureDatabase(host: string): Promise<EmbeddedConnection> {
  await withSuperuser(host, async (client) => {
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])
    // Not a superuser, as row security and the rights of an ordinary owner are to hold here as they
    // do on any other server. It may create databases, as the tests do, and roles: it makes the one
    // for requests itself. The role of an earlier build has not been given that.
    const verb = roles.rowCount === 0 ? 'CREATE' : 'ALTER'
    await client.query(`${verb} ROLE ${role} LOGIN CREATEDB CREATEROLE`)
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database} OWNER ${role}`)
  })
  return connectionThrough(host)
}

/** How to connect to a server that was made ready by another process. */
export function connectionThrough(host: string): EmbeddedConnection {
  return { host, port, user: role, database, ssl: false }
}

async function withSuperuser(host: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({
    host,
    port,
    user: superuser,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 10_000,
  })
  // The failure of a lost connection arrives through the pending call as well.
  client.on('error', () => {})
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

const longestSocketPath = process.platform === 'linux' ? 107 : 103

export type SocketFolder = { host: string; close(): void }

/**
 * A name of the database folder that fits into a socket's address. On Linux a long path is
 * replaced by that of an open file; unlike a link in the folder for temporary files it can neither
 * be taken by another user nor be tidied away under a running service.
 */
export function openSocketFolder(folder: string): SocketFolder {
  const bytes = Buffer.byteLength(join(folder, `.s.PGSQL.${port}`))
  if (bytes <= longestSocketPath) return { host: folder, close: () => {} }
  if (process.platform !== 'linux') {
    throw new Error(
      `the path ${folder} is ${bytes - longestSocketPath} bytes too long for a socket; ` +
        'choose a shorter data folder',
    )
  }
  let descriptor: number | undefined = openSync(folder, 'r')
  return {
    host: `/proc/self/fd/${descriptor}`,
    close: () => {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
    },
  }
}

const rotateAt = 1_000_000
const shownLines = 15

export type ServerLog = {
  descriptor: number
  /** The last lines since the log was opened. */
  tail(): Promise<string>
  close(): Promise<void>
}

/** Opens the log for appending; a long one of earlier runs is moved aside first. */
export async function openServerLog(path: string): Promise<ServerLog> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  )
  if (size > rotateAt) await rename(path, `${path}.1`)
  const handle = await open(path, 'a+', 0o600)
  if (process.geteuid?.() === 0) {
    const { uid, gid } = await stat(dirname(path))
    await handle.chown(uid, gid)
  }
  const start = size > rotateAt ? 0 : size
  return {
    descriptor: handle.fd,
    tail: async () => {
      const written = (await handle.stat()).size - start
      const length = Math.min(written, 10_000)
      const buffer = Buffer.alloc(length)
      await handle.read(buffer, 0, length, start + written - length)
      return buffer.toString('utf8').trimEnd().split('\n').slice(-shownLines).join('\n')
    },
    close: () => handle.close(),
  }
}
