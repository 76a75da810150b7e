/**
 * Wrong secrets, counted by whom they name and where they come from: after some of them the
 * database is spared for a while, and nobody locks a device out from afar.
 */
import { LRUCache } from 'lru-cache'
import { addressBlocks } from '../../../platform/lib/address-block.ts'
import { upTo } from '../../../platform/lib/cache-size.ts'

/** Wrong secrets of one address for one user name before the database is spared for a while. */
const MOST = 10
const REMEMBERED_MS = 60_000
/** How often the database is asked even then, since the secret may be a new one. */
const SPARED_MS = 1_000

interface Wrong {
  count: number
  /** When the database was asked last, on the clock of `performance`. */
  readAt: number
}

/** The counts that a wrong secret adds to, and how many each may have. */
export type Source = readonly { key: string; most: number }[]

/** @param address an IP address, or the name of the broker that does not say it */
export const sourceOf = (name: string, address: string): Source =>
  addressBlocks(address).map((block) => ({
    key: `${name} ${block.name}`,
    most: MOST * block.budget,
  }))

export class WrongSecrets {
  readonly #wrong = new LRUCache<string, Wrong>({ ...upTo(20_000), ttl: REMEMBERED_MS })

  /** Whether the database may be asked now; then it counts as asked. */
  mayAsk(source: Source): boolean {
    const now = performance.now()
    const known = source.map(({ key, most }) => ({ wrong: this.#wrong.get(key), most }))
    const isSpared = known.some(
      ({ wrong, most }) =>
        wrong !== undefined && wrong.count >= most && now - wrong.readAt < SPARED_MS,
    )
    if (isSpared) return false
    for (const { wrong } of known) if (wrong !== undefined) wrong.readAt = now
    return true
  }

  /** The secret was wrong. */
  add(source: Source): void {
    for (const { key } of source) {
      const wrong = this.#wrong.get(key) ?? { count: 0, readAt: performance.now() }
      wrong.count += 1
      this.#wrong.set(key, wrong, { noUpdateTTL: true })
    }
  }
}
