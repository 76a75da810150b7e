/** Rows that wait in memory and are written in batches. */
import { SingleFlight } from './single-flight.ts'
import { SerialWorker } from './serial-worker.ts'

/**
 * Writes the rows that wait at the time of the call. A row stays until it is written, so a failed
 * write loses nothing; one that was replaced meanwhile stays for the next time.
 */
export async function writeBuffered<Row>(
  waiting: Map<string, Row>,
  batch: number,
  write: (rows: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  const keys = [...waiting.keys()]
  for (let at = 0; at < keys.length; at += batch) {
    const rows = new Map<string, Row>()
    for (const key of keys.slice(at, at + batch)) {
      const row = waiting.get(key)
      if (row !== undefined) rows.set(key, row)
    }
    if (rows.size === 0) continue
    await write([...rows.values()])
    for (const [key, row] of rows) if (waiting.get(key) === row) waiting.delete(key)
  }
}

/** Rows that are written in batches in the background, each as soon as the previous one is done. */
export class BufferedWrites<Row> {
  readonly waiting = new Map<string, Row>()
  readonly #worker: SerialWorker
  readonly #writes: SingleFlight

  /** @param failed called with the error of a write, which is repeated */
  constructor(
    batch: number,
    write: (rows: readonly Row[]) => Promise<unknown>,
    failed: (error: unknown) => void,
  ) {
    this.#writes = new SingleFlight(() => writeBuffered(this.waiting, batch, write))
    this.#worker = new SerialWorker(() => this.#writeAll(), failed)
  }

  set(key: string, row: Row): void {
    this.waiting.set(key, row)
    this.#worker.wake()
  }

  /** Resolves when all rows that were set before are written. */
  store(): Promise<void> {
    return this.#writes.joinNext()
  }

  /** Ends the writing in the background, and writes what is left. */
  async flush(): Promise<void> {
    this.#worker.stop()
    while (await this.#writeAll());
  }

  /** @returns whether there is more */
  async #writeAll(): Promise<boolean> {
    await this.store()
    return this.waiting.size > 0
  }
}
