/** Cryptographically secure random bytes, drawn in blocks since each draw is a system call. */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 8192

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** At most 1,024 random bytes, owned by the caller. */
export function takeRandomBytes(count: number): Buffer {
  if (!Number.isInteger(count) || count < 0 || count > 1024) {
    throw new RangeError('takeRandomBytes gives 0 to 1024 bytes')
  }
  if (used + count > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const taken = Buffer.from(pool.subarray(used, used + count))
  // Wiped, so that a heap dump cannot reveal secrets that were issued before.
  pool.fill(0, used, used + count)
  used += count
  return taken
}
