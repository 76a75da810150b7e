/** Numbers that order the connections of one process, and of its successors by the wall clock. */

let last = 0

/** Microseconds since the Unix epoch, pushed forward so that no number comes twice. */
export function nextIncarnation(): number {
  last = Math.max(Date.now() * 1000, last + 1)
  return last
}
