/**
 * The part of the feed in progress, from which the webhook's position follows. An event is done
 * once it is delivered or waits in a row.
 */
import type { Delivery, Position } from './delivery.ts'

export class FeedWindow {
  /** In feed order, including done ones. */
  readonly #entries = new Map<string, { item: Delivery; readAtMs: number; isDone: boolean }>()
  /** Everything up to here is done. */
  #position: Position
  /** How far the feed was read. */
  #end: Position

  constructor(position: Position) {
    this.#position = position
    this.#end = position
  }

  get end(): Position {
    return this.#end
  }

  get size(): number {
    return this.#entries.size
  }

  add(item: Delivery, readAtMs: number): void {
    this.#entries.set(item.id, { item, readAtMs, isDone: false })
  }

  /** No further events for the webhook exist before this. */
  readUpTo(end: Position): void {
    this.#end = end
  }

  done(id: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.isDone = true
  }

  /** Events read before a time that hold back the position, since later ones are done. */
  stragglers(beforeMs: number): Delivery[] {
    const entries = [...this.#entries.values()]
    const last = entries.findLastIndex(({ isDone }) => isDone)
    return entries
      .slice(0, Math.max(last, 0))
      .filter(({ isDone, readAtMs }) => !isDone && readAtMs <= beforeMs)
      .map(({ item }) => item)
  }

  /** Returns the position and drops everything before it. */
  advance(): Position {
    for (const [id, { item, isDone }] of this.#entries) {
      if (!isDone) return this.#position
      this.#position = { seq: item.seq, id: item.eventId }
      this.#entries.delete(id)
    }
    this.#position = this.#end
    return this.#position
  }
}
