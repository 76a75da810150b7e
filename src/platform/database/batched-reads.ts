/**
 * Batches point reads by id: reads requested in one turn of the event loop, or while others are in
 * progress, share a statement. A reconnecting fleet is read by the dozen; a single device waits no
 * longer than by itself.
 */
import { MicroBatcher } from '../lib/micro-batcher.ts'

/**
 * Ids per statement. While the server works on one, the next is sent if enough wait for it: a
 * statement of a single id costs several times as much for each.
 */
const LIMITS = { batchSize: 128, inFlight: 2, minFurther: 16 }

export class BatchedReads<Row extends { id: string }> {
  readonly #batcher: MicroBatcher<string, Row | undefined>

  /** @param read returns the rows of these ids in any order, omitting missing ones */
  constructor(read: (ids: readonly string[]) => Promise<readonly Row[]>) {
    this.#batcher = new MicroBatcher(async (ids) => {
      const rows = await read([...new Set(ids)])
      const byId = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => byId.get(id))
    }, LIMITS)
  }

  /** The row as of this call or later, or undefined; rejects if the statement fails. */
  find(id: string): Promise<Row | undefined> {
    return this.#batcher.run('', id)
  }
}
