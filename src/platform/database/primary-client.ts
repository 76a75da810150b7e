/**
 * Connections to a Postgres with standbys: of several hosts, the one that takes writes, as libpq
 * finds it with `target_session_attrs=read-write` (PostgreSQL documentation, 34.1.1.3). All
 * connections of a DATABASE_URL share what is known, so that after a failover one of them finds the
 * new primary for all.
 */
import pg from 'pg'

export interface HostAddress {
  host: string
  port: number
}

/** A host takes no writes. For callers it is a server that accepts no connections now. */
export class StandbyReached extends Error {
  override name = 'StandbyReached'
  readonly code = '57P03'
}

const QUESTION = 'SELECT pg_is_in_recovery() AS standby'
const ignore = (): void => {}

/**
 * A class of clients for the pool and for `newClient`. Each connects to one host. If that is away
 * or a standby, the connection fails as one to a server that is away does, and the next one tries
 * the next host: callers that need a connection try again anyway.
 */
export function primaryClient(addresses: readonly HostAddress[]): typeof pg.Client {
  // The index of the host to try next.
  let at = 0
  const present = (): HostAddress => addresses[at] as HostAddress
  return class PrimaryClient extends pg.Client {
    readonly #address: HostAddress

    constructor(config?: string | pg.ClientConfig) {
      const address = present()
      const given = config as pg.ClientConfig
      // The pool makes the password a property that is not copied.
      super({ ...given, ...address, ...('password' in given && { password: given.password }) })
      this.#address = address
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const opening = this.#open()
      if (callback === undefined) return opening.then(() => this)
      // The pool gets its callback outside the promise: an error that it throws is no failed
      // connection.
      const done = callback as (error: Error | null) => void
      opening.then(
        () => process.nextTick(done, null),
        (error: Error) => process.nextTick(done, error),
      )
    }

    async #open(): Promise<void> {
      // A connection that is lost during the question also fails the question.
      this.on('error', ignore)
      try {
        await super.connect()
        const { rows } = await this.query<{ standby: boolean }>(QUESTION)
        if (rows[0]?.standby !== true) return
        const { host, port } = this.#address
        throw new StandbyReached(`${host}:${port} is a standby`)
      } catch (error) {
        // Unless another connection left it already since this one began.
        if (present() === this.#address) at = (at + 1) % addresses.length
        void this.end().catch(ignore)
        throw error
      } finally {
        // The owner adds a listener of its own in the same turn, or in the next.
        setImmediate(() => this.off('error', ignore))
      }
    }
  }
}

/** A client outside a pool: to the primary, if the connection names several hosts. */
export function newClient(connection: pg.PoolConfig): pg.Client {
  const Client = (connection.Client ?? pg.Client) as typeof pg.Client
  return new Client(connection)
}

/** Opens a new connection, which its caller ends. */
export type Connect = () => Promise<pg.Client>

/** Opens connections outside the pools. One that is lost also fails its pending query. */
export const connector =
  (connection: pg.PoolConfig): Connect =>
  async () => {
    const client = newClient(connection)
    client.on('error', ignore)
    try {
      await client.connect()
      return client
    } catch (error) {
      // Not awaited: a connection to a database that hangs may never end.
      void client.end().catch(ignore)
      throw error
    }
  }

/** Works in a transaction, which an error rolls back. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(ignore)
    throw error
  }
}

/** Works on a connection of its own, whose end also releases its locks. */
export async function withClient<T>(
  connect: Connect,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connect()
  client.on('error', ignore)
  try {
    return await work(client)
  } finally {
    await client.end().catch(ignore)
  }
}
