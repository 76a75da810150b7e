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
  const open = (): Promise<pg.Client> => {
    const client = new pg.Client(config)
    // A lost client says so more than once: the later words must not take the one that came after.
    const lose = (): void => {
      if (current === opening) current = undefined
    }
    client.on('error', (error: Error) => {
      lose()
      options.onError?.(error)
    })
    client.once('end', lose)
    const opening = client.connect().then(
      () => client,
      (error: unknown) => {
        lose()
        throw translate(error)
      },
    )
    return opening
  }
  return {
    async query(statement, values) {
      current ??= open()
      return run(await current, options.prepared, statement, values)
    },
    async close() {
      const client = await current?.catch(() => undefined)
      await client?.end()
    },
  }
}
