/**
 * A bounded cache that the change feed keeps consistent. A value is only used while the feed is
 * fresh, and only stored if nothing it depends on changed since it was read.
 */
import { LRUCache } from 'lru-cache'
import { SetMap } from '../lib/set-map.ts'
import type { ChangeFeed, ChangeKind } from './change-feed.ts'

export interface FeedCacheOptions<Value extends object> {
  feed: ChangeFeed
  /** Maximum number of values. */
  max: number
  /** The keys that a value depends on; a change of any evicts it. */
  refsOf: (value: Value) => readonly string[]
  kinds: readonly ChangeKind[]
}

export class FeedCache<Value extends object> {
  /** Created with the first value, since it allocates its memory up front. */
  #values: LRUCache<string, Value> | undefined
  readonly #keysOf = new SetMap<string>()
  readonly #options: FeedCacheOptions<Value>

  constructor(options: FeedCacheOptions<Value>) {
    this.#options = options
    for (const kind of options.kinds) options.feed.on(kind, (ref) => this.drop(ref))
    options.feed.onGap(() => this.#values?.clear())
  }

  get(key: string): Value | undefined {
    return this.#options.feed.isFresh() ? this.#values?.get(key) : undefined
  }

  /**
   * The cached value, or the result of `read`, which is then cached. `read` must see the database
   * as of its call or later.
   */
  async load(key: string, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const known = this.get(key)
    if (known !== undefined) return known
    const { feed, refsOf } = this.#options
    const before = feed.sequence
    const value = await read()
    if (value === undefined) return undefined
    if (!refsOf(value).some((ref) => feed.lastChange(ref) > before)) this.#store(key, value)
    return value
  }

  /** Evicts every value that depends on `ref`. */
  drop(ref: string): void {
    for (const key of this.#keysOf.of(ref)) this.#values?.delete(key)
  }

  #store(key: string, value: Value): void {
    this.#values ??= new LRUCache<string, Value>({
      max: this.#options.max,
      dispose: (dropped, of) => {
        for (const ref of this.#options.refsOf(dropped)) this.#keysOf.delete(ref, of)
      },
    })
    this.#values.set(key, value)
    for (const ref of this.#options.refsOf(value)) this.#keysOf.add(ref, key)
  }
}
