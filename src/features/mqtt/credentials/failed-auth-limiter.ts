/**
 * Limits database reads for wrong secrets, counted by user name and address block: after ten wrong
 * secrets from one address the database is asked at most once a second. Other addresses are not
 * affected, so that nobody can lock out a device remotely.
 */
import { LRUCache } from 'lru-cache'
import { addressBlocks } from '../../../platform/lib/address-block.ts'
import { upTo } from '../../../platform/lib/cache-size.ts'

/** Wrong secrets of one address for one user name before reads are limited. */
const MAX_FAILURES = 10
const COUNTED_MS = 60_000
/** A limited source still causes a read this often, because its secret may be a new one. */
const READ_INTERVAL_MS = 1_000

interface Failures {
  count: number
  /** When the database was read last, by `performance.now()`. */
  readAt: number
}

/** The counters that a wrong secret increments, and their limits. */
export type Source = readonly { key: string; max: number }[]

/** @param address an IP address, or the name of a broker that does not pass addresses */
export const sourceOf = (name: string, address: string): Source =>
  addressBlocks(address).map((block) => ({
    key: `${name} ${block.name}`,
    max: MAX_FAILURES * block.budget,
  }))

export class FailedAuthLimiter {
  readonly #failures = new LRUCache<string, Failures>({ ...upTo(20_000), ttl: COUNTED_MS })

  /** Whether the database may be read now; if so, the read is counted. */
  mayRead(source: Source): boolean {
    const now = performance.now()
    const known = source.map(({ key, max }) => ({ failures: this.#failures.get(key), max }))
    const isLimited = known.some(
      ({ failures, max }) =>
        failures !== undefined && failures.count >= max && now - failures.readAt < READ_INTERVAL_MS,
    )
    if (isLimited) return false
    for (const { failures } of known) if (failures !== undefined) failures.readAt = now
    return true
  }

  add(source: Source): void {
    for (const { key } of source) {
      const failures = this.#failures.get(key) ?? { count: 0, readAt: performance.now() }
      failures.count += 1
      this.#failures.set(key, failures, { noUpdateTTL: true })
    }
  }
}
