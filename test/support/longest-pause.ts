/** How long this process or its database stood still, at most: leases are lost by that. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

const EVERY_MS = 100

/** @returns what ends the watch, and says how many milliseconds a small commit took at most */
export function watchPauses(pool: pg.Pool): () => Promise<number> {
  const over = new AbortController()
  let longest = 0
  const watch = async (): Promise<number> => {
    while (!over.signal.aborted) {
      const begun = performance.now()
      await pool.query(`SELECT pg_logical_emit_message(true, 'test', 'pause')`)
      await sleep(EVERY_MS)
      longest = Math.max(longest, performance.now() - begun - EVERY_MS)
    }
    return longest
  }
  const watching = watch()
  // Anyone who ends it hears of it.
  watching.catch(() => {})
  return () => {
    over.abort()
    return watching
  }
}
