/** One pipelined connection for point reads: many callers share a round trip. */
import { Socket } from 'node:net'
import type pg from 'pg'
import type { Availability } from './availability.ts'
import type { Db } from './db.ts'
import { type QueryMode, plainMode } from './pooled.ts'
import { newClient } from './primary-client.ts'
import { type Statement, translate } from './query.ts'

export type PointReader = Pick<Db, 'query'>

export interface ClosablePointReader extends PointReader {
  /** Reads in another mode on the same connection. */
  reading(mode: QueryMode): PointReader
  close(): Promise<void>
}

export interface PointOptions {
  prepared: boolean
  /** Refuses callers while the database is known not to answer. */
  availability: Pick<Availability, 'requireAvailable' | 'noteResponse'>
  /** Called when the connection is lost. */
  onError?: () => void
  /** Prepares a new connection. */
  onConnect?: (client: pg.ClientBase) => Promise<void>
}

/**
 * Gives a client its sockets, and holds back what is written to them until the turn of the event
 * loop ends: the statements of all requests that arrived together leave in one write.
 */
class Gathering {
  #socket: Socket | undefined
  #isHolding = false

  /** For the next connection. */
  readonly open = (): Socket => (this.#socket = new Socket())

  hold(): void {
    if (this.#isHolding) return
    this.#isHolding = true
    const socket = this.#socket
    socket?.cork()
    setImmediate(() => {
      this.#isHolding = false
      socket?.uncork()
    })
  }
}

/** Shares one pipelined client among all callers; a lost one is replaced by the next query. */
export function pipelined(config: pg.PoolConfig, options: PointOptions): ClosablePointReader {
  let current: Promise<pg.Client> | undefined
  const gathering = new Gathering()
  const open = (): Promise<pg.Client> => {
    const client = newClient({ ...config, stream: gathering.open })
    // A lost client emits several events; later ones must not affect its replacement.
    const lose = (): void => {
      if (current === opening) current = undefined
    }
    client.on('error', () => {
      lose()
      options.onError?.()
    })
    client.once('end', lose)
    const opening = client
      .connect()
      .then(() => options.onConnect?.(client))
      .then(
        () => client,
        (error: unknown) => {
          lose()
          void client.end().catch(() => {})
          throw translate(error)
        },
      )
    return opening
  }
  const reading = (mode: QueryMode): PointReader => ({
    async query<Row>(statement: Statement, values?: readonly unknown[]) {
      options.availability.requireAvailable()
      current ??= open()
      const client = await current
      gathering.hold()
      const rows = await mode.single<Row>(client, statement, values)
      options.availability.noteResponse()
      return rows
    },
  })
  return {
    ...reading(plainMode(options.prepared)),
    reading,
    async close() {
      const client = await current?.catch(() => undefined)
      await client?.end()
    },
  }
}
