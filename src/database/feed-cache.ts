/**
 * A bounded cache that the change feed keeps true. A value is used only while the feed is fresh,
 * and is stored only if nothing it depends on has changed since it was read.
 */
import { LRUCache } from 'lru-cache'
import type { ChangeFeed, ChangeKind } from './change-feed.ts'

export interface FeedCacheOptions<Value extends object> {
  feed: ChangeFeed
  /** How many values at most. */
  max: number
  /** What a value depends on; a change of any of them drops it. */
  refsOf: (value: Value) => readonly string[]
  kinds: readonly ChangeKind[]
}

export class FeedCache<Value extends object> {
  /** Made for the first value, since it takes its memory at once. */
  #values: LRUCache<string, Value> | undefined
  readonly #keysOf = new Map<string, Set<string>>()
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
   * The cached value, or the one that `read` finds now, which is stored for next time.
   * `read` must see the database as it is after it was called.
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

  /** Drops every value that depends on `ref`. */
  drop(ref: string): void {
    for (const key of this.#keysOf.get(ref) ?? []) this.#values?.delete(key)
  }

  #store(key: string, value: Value): void {
    this.#values ??= new LRUCache<string, Value>({
      max: this.#options.max,
      dispose: (dropped, of) => this.#forget(of, dropped),
    })
    this.#values.set(key, value)
    for (const ref of this.#options.refsOf(value)) {
      const keys = this.#keysOf.get(ref)
      if (keys === undefined) this.#keysOf.set(ref, new Set([key]))
      else keys.add(key)
    }
  }

  #forget(key: string, value: Value): void {
    for (const ref of this.#options.refsOf(value)) {
      const keys = this.#keysOf.get(ref)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysOf.delete(ref)
    }
  }
}
