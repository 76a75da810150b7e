/** Random bytes from the system's generator, drawn in blocks because each draw costs a call. */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 8192

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Bytes of a cryptographically strong generator; at most 1,024 of them. The caller owns them. */
export function takeRandomBytes(count: number): Buffer {
  if (!Number.isInteger(count) || count < 0 || count > 1024) {
    throw new RangeError('takeRandomBytes gives 0 to 1024 bytes')
  }
  if (used + count > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const taken = Buffer.from(pool.subarray(used, used + count))
  // A heap dump must not show a secret that was handed out before.
  pool.fill(0, used, used + count)
  used += count
  return taken
}
