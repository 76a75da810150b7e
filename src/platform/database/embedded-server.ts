/** The running server: its settings, readiness, shutdown, and the end of its log. */
import { closeSync, openSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { waitForEarlierServer } from './earlier-server.ts'
import { superuser } from './embedded-cluster.ts'
import { folderArgument, type Identity } from './embedded-identity.ts'
import { connector, withClient } from './primary-client.ts'
import { startSupervised, type SupervisedProcess } from './supervised-process.ts'

export type EmbeddedConnection = {
  /**
   * The socket's folder, for `pg`. Only valid in this process: it may refer to one of its open
   * files.
   */
  host: string
  port: number
  user: string
  database: string
  /** Explicit, because PGSSLMODE in the environment would request TLS on a socket without it. */
  ssl: false
}

/** Only part of the socket's file name: nothing listens on TCP. */
export const port = 5432
const role = 'mooring'
const database = 'mooring'

const settings = {
  listen_addresses: '',
  // Relative to the working directory, the database folder: its mode is 0700, and its path may
  // exceed the 107 bytes of a socket address.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: String(port),
  // On the command line, which overrides configuration files: acknowledged rows are on disk.
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
  // Failed statements are reported to the service, which logs what matters. Omitting them keeps the
  // log small and free of the values that such messages quote.
  log_min_messages: 'log',
}

export interface ServerStart {
  folder: string
  identity: Identity
  /** File descriptor for the server's output. */
  output: number
  log: (line: string) => void
  /** Override the settings above. */
  special: Readonly<Record<string, string>> | undefined
}

export function startServer(start: ServerStart): SupervisedProcess {
  const { folder, identity, output, log, special = {} } = start
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
  return { ...server, exited: server.exited.then((end) => afterEnd(end, folder, log)) }
}

const shortTimeouts = { interruptAfter: 0, quitAfter: 10_000, giveUpAfter: 30_000 }

/**
 * The watching shell exits with the server's status. If the shell itself was killed, the server may
 * still be running unwatched: then it is stopped here.
 */
async function afterEnd(end: { code: number | null }, folder: string, log: (line: string) => void) {
  if (end.code === null) await waitForEarlierServer(folder, port, log, shortTimeouts)
  return end
}

const quitAfter = 10_000

/** A fast shutdown: ends sessions and writes a checkpoint. Immediate after 10 seconds. */
export async function stopServer(server: SupervisedProcess): Promise<void> {
  server.signal('INT')
  const timer = setTimeout(() => server.signal('QUIT'), quitAfter)
  try {
    await server.exited
  } finally {
    clearTimeout(timer)
  }
}

const RESPONSE_TIMEOUT_MS = 60_000
const recoveryNoticeEvery = 10_000

/** Waits until the server accepts connections. Crash recovery may take as long as it needs. */
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
    const state = await probe(host)
    if (state === 'ready') return
    if (state === 'none' && Date.now() - started > RESPONSE_TIMEOUT_MS) {
      throw new Error(`the server did not respond within ${RESPONSE_TIMEOUT_MS / 1000} seconds`)
    }
    if (Date.now() - lastNotice > recoveryNoticeEvery) {
      lastNotice = Date.now()
      log('Postgres is recovering from an unclean stop; this can take some time')
    }
    await sleep(20)
  }
}

async function probe(host: string): Promise<'ready' | 'starting' | 'none'> {
  try {
    await withSuperuser(host, async () => {})
    return 'ready'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // 57P03, cannot_connect_now: running, but not ready.
    if (code === '57P03') return 'starting'
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'none'
    throw error
  }
}

/** Creates the service's role and database if missing, and returns how to connect. */
export async function ensureDatabase(host: string): Promise<EmbeddedConnection> {
  await withSuperuser(host, async (client) => {
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])
    // Not a superuser, so that row-level security and ordinary privileges apply as on any other
    // server. It may create databases, for the tests, and roles, for requests. The role of an
    // earlier build lacks that.
    const verb = roles.rowCount === 0 ? 'CREATE' : 'ALTER'
    await client.query(`${verb} ROLE ${role} LOGIN CREATEDB CREATEROLE`)
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database} OWNER ${role}`)
  })
  return connectionThrough(host)
}

/** How to connect to a server that another process has prepared. */
export function connectionThrough(host: string): EmbeddedConnection {
  return { host, port, user: role, database, ssl: false }
}

function withSuperuser(host: string, work: (client: Client) => Promise<void>): Promise<void> {
  const login = { user: superuser, database: 'postgres', ssl: false }
  return withClient(connector({ host, port, ...login, connectionTimeoutMillis: 10_000 }), work)
}

const longestSocketPath = process.platform === 'linux' ? 107 : 103

/**
 * A name of the database folder that fits into a socket address. On Linux a long path is replaced
 * by that of an open file, which, unlike a symlink in the temporary folder, no other user can
 * hijack and no cleanup removes.
 */
export function openSocketFolder(folder: string): { host: string; close(): void } {
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
const MAX_LINES = 15

export type ServerLog = {
  descriptor: number
  /** The last lines since the log was opened. */
  tail(): Promise<string>
  close(): Promise<void>
}

/** Opens the log for appending; a long one of earlier runs is rotated first. */
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
      return buffer.toString('utf8').trimEnd().split('\n').slice(-MAX_LINES).join('\n')
    },
    close: () => handle.close(),
  }
}
