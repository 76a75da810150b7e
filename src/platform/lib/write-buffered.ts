/**
 * Writes rows that wait in memory, in batches. A row stays until it is written, so a failed write
 * loses nothing; one that was replaced meanwhile stays for the next time.
 */
export async function writeBuffered<Row>(
  waiting: Map<string, Row>,
  batch: number,
  write: (rows: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let left = waiting.size; left > 0; left -= batch) {
    const entries = [...waiting].slice(0, Math.min(left, batch))
    if (entries.length === 0) return
    await write(entries.map(([, row]) => row))
    for (const [key, row] of entries) if (waiting.get(key) === row) waiting.delete(key)
  }
}
