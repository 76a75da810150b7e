/**
 * Wrong secrets, counted by whom they name and where they come from: after some of them the
 * database is spared for a while, and nobody locks a device out from afar.
 */
import { LRUCache } from 'lru-cache'
import { addressBlock } from '../../lib/address-block.ts'

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

/** @param address an IP address, or the name of the broker that does not say it */
export const sourceOf = (name: string, address: string): string =>
  `${name} ${addressBlock(address)}`

export class WrongSecrets {
  readonly #wrong = new LRUCache<string, Wrong>({ max: 20_000, ttl: REMEMBERED_MS })

  /** Whether the database may be asked now; then it counts as asked. */
  mayAsk(source: string): boolean {
    const wrong = this.#wrong.get(source)
    const now = performance.now()
    if (wrong === undefined) return true
    if (wrong.count >= MOST && now - wrong.readAt < SPARED_MS) return false
    wrong.readAt = now
    return true
  }

  /** The secret was wrong. */
  add(source: string): void {
    const wrong = this.#wrong.get(source) ?? { count: 0, readAt: performance.now() }
    wrong.count += 1
    this.#wrong.set(source, wrong, { noUpdateTTL: true })
  }
}
