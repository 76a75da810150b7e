/** Token buckets: they limit a rate per second, and the size of a burst. */

export class TokenBucket {
  #perSecond: number
  #burst: number
  #tokens: number
  #at: number

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#tokens = burst
    this.#at = performance.now()
  }

  /** Takes a token if there is one. */
  take(): boolean {
    this.#fill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Takes tokens even if they are missing. @returns milliseconds until none is missing. */
  borrow(count: number): number {
    this.#fill()
    this.#tokens -= count
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000
  }

  #fill(): void {
    const now = performance.now()
    const gained = ((now - this.#at) / 1000) * this.#perSecond
    this.#tokens = Math.min(this.#burst, this.#tokens + gained)
    this.#at = now
  }
}

/** A bucket for each of many keys; the least recently used ones are evicted. */
export class TokenBuckets {
  #buckets = new Map<string, TokenBucket>()
  #make: (budget: number) => TokenBucket
  #max: number

  /** @param make called with the budget of the first `take` of a key */
  constructor(max: number, make: (budget: number) => TokenBucket) {
    this.#max = max
    this.#make = make
  }

  take(key: string, budget: number): boolean {
    const bucket = this.#buckets.get(key) ?? this.#make(budget)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    const [oldest] = this.#buckets.size > this.#max ? this.#buckets.keys() : []
    if (oldest !== undefined) this.#buckets.delete(oldest)
    return bucket.take()
  }
}
