/**
 * A Postgres server given by DATABASE_URL: waits until it is up and checks it before anything is
 * written, so that an unsuitable one is refused with an explanation.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import { describeSystemError, isUnvouched } from '../lib/system-errors.ts'
import { type DatabaseAddress, readDatabaseUrl } from './connection-url.ts'
import { connector, StandbyReached, withClient } from './primary-client.ts'

const OLDEST_MAJOR = 15

/** Postgres is unreachable or unsuitable. */
export class DatabaseRefused extends Error {
  override name = 'DatabaseRefused'
}

export interface Waiting {
  /** Milliseconds to wait for an unreachable server. */
  timeoutMs: number
  log: (line: string) => void
}

const CONNECT_TIMEOUT_MS = 5_000
const NOTICE_EVERY_MS = 3_000

interface Found {
  version: number
  encoding: string
  standby: boolean
}

const check = `SELECT current_setting('server_version_num')::int AS version,
                     current_setting('server_encoding') AS encoding,
                     pg_is_in_recovery() AS standby`

const ask = (connection: PoolConfig): Promise<Found> =>
  withClient(
    connector({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }),
    async (client) => (await client.query<Found>(check)).rows[0] as Found,
  )

interface ConnectError extends Error {
  code?: string
  errors?: ConnectError[]
}

/** A host with several addresses yields one error each. */
const first = (error: ConnectError): ConnectError => error.errors?.[0] ?? error

const messages: Readonly<Record<string, string>> = {
  ENOENT: 'its socket does not exist',
  '57P03': 'it is starting or stopping',
}

function messageFor(error: ConnectError): string {
  if (error instanceof StandbyReached) return error.message
  const message = messages[error.code ?? ''] ?? describeSystemError(error)
  return isUnvouched(error) ? `${message}; name its authority in sslrootcert` : message
}

/** Temporary errors: a server or network that is just starting. */
function isPassing({ code, message }: ConnectError): boolean {
  if (code === undefined) return /timeout|terminated/i.test(message)
  return /^(ECONN|EHOST|ENET|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|53300|57P)/.test(code)
}

const isWithoutTls = (error: ConnectError): boolean =>
  error.message === 'The server does not support SSL connections'

function requireUsable({ version, encoding, standby }: Found): void {
  const major = Math.floor(version / 10_000)
  if (major < OLDEST_MAJOR) {
    throw new DatabaseRefused(
      `This is Postgres ${major}; the service needs ${OLDEST_MAJOR} or newer.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new DatabaseRefused(
      `The database has the encoding ${encoding}; create it again with ENCODING 'UTF8'.`,
    )
  }
  if (standby) {
    throw new DatabaseRefused(
      'This Postgres is a standby and takes no writes; give the address of the primary.',
    )
  }
}

/**
 * Waits until the server accepts connections, and checks its suitability.
 * @throws DatabaseRefused if it stays unreachable or is unsuitable
 */
export async function awaitServer(
  connection: PoolConfig,
  place: string,
  { timeoutMs, log }: Waiting,
): Promise<void> {
  const started = Date.now()
  let noticed = 0
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      requireUsable(await ask(connection))
      return
    } catch (error) {
      if (error instanceof DatabaseRefused || isWithoutTls(error as Error)) throw error
      const reason = first(error as ConnectError)
      const text = messageFor(reason)
      if (!isPassing(reason) || Date.now() - started + pause > timeoutMs) {
        throw new DatabaseRefused(`The Postgres at ${place} cannot be used: ${text}.`, {
          cause: error,
        })
      }
      if (Date.now() - noticed > NOTICE_EVERY_MS) {
        noticed = Date.now()
        log(`waiting for the Postgres at ${place}: ${text}`)
      }
    }
    await sleep(pause)
  }
}

/** `prefer`: uses TLS if the server offers it. */
async function settle(address: DatabaseAddress, waiting: Waiting): Promise<PoolConfig> {
  const { connection, place, tls } = address
  try {
    await awaitServer(connection, place, waiting)
    return connection
  } catch (error) {
    if (!isWithoutTls(error as Error)) throw error
    if (tls !== 'prefer') {
      throw new DatabaseRefused(
        `The Postgres at ${place} offers no TLS, which the sslmode of DATABASE_URL asks for.`,
        { cause: error },
      )
    }
  }
  const plain = { ...connection, ssl: false }
  await awaitServer(plain, place, waiting)
  return plain
}

/**
 * How to connect to the server of a DATABASE_URL, which has been reached when this resolves.
 * @throws ConnectionUrlError, DatabaseRefused
 */
export const openServer = (url: string, waiting: Waiting): Promise<PoolConfig> =>
  settle(readDatabaseUrl(url), waiting)

const limits = `SELECT current_setting('max_connections')::int
                       - current_setting('superuser_reserved_connections')::int AS connections`

/** Connections that a server has for its users; others may use some of them. */
export const readConnections = (connection: PoolConfig): Promise<number> =>
  withClient(connector(connection), async (client) => {
    const { rows } = await client.query<{ connections: number }>(limits)
    return rows[0]?.connections ?? 0
  })
