/**
 * Writes the rows that wait in memory at the time of the call, in batches. A row stays until it is
 * written, so a failed write loses nothing; one that was replaced meanwhile stays for the next
 * time.
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
