/** One pipelined connection for point reads: many callers share a round trip. */
import pg from 'pg'
import { run, type Statement, translate } from './query.ts'

export interface PointReader {
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

export interface ClosablePointReader extends PointReader {
  close(): Promise<void>
}

export interface PointOptions {
  prepared: boolean
  onError?: (error: Error) => void
}

/** Shares one pipelined client among all callers; a lost one is replaced at the next query. */
export function pipelined(config: pg.ClientConfig, options: PointOptions): ClosablePointReader {
  let current: Promise<pg.Client> | undefined
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(config)
    const lose = (): void => {
      current = undefined
    }
    client.on('error', (error: Error) => {
      lose()
      options.onError?.(error)
    })
    client.once('end', lose)
    try {
      await client.connect()
      return client
    } catch (error) {
      lose()
      throw translate(error)
    }
  }
  return {
    async query(statement, values) {
      current ??= connect()
      return run(await current, options.prepared, statement, values)
    },
    async close() {
      const client = await current?.catch(() => undefined)
      await client?.end()
    },
  }
}
