/**
 * The part of the feed that is being worked on: which events of it are done with, and so how far
 * the webhook has come. An event is done with once it was delivered, or waits in a row.
 */
import type { Delivery, Position } from './delivery.ts'

interface Entry {
  item: Delivery
  readAtMs: number
}

export class FeedWindow {
  /** In the order of the feed, those that are done with among them. */
  readonly #entries = new Map<string, Entry & { isDone: boolean }>()
  /** Everything up to here is done with. */
  #position: Position
  /** How far it was read. */
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

  /** Nothing that concerns the webhook is left before this. */
  readUpTo(end: Position): void {
    this.#end = end
  }

  done(id: string): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.isDone = true
  }

  /**
   * Events that hold the position back, since later ones are done with already; of those only that
   * were read before a moment.
   */
  stragglers(beforeMs: number): Delivery[] {
    const entries = [...this.#entries.values()]
    const last = entries.findLastIndex(({ isDone }) => isDone)
    return entries
      .slice(0, Math.max(last, 0))
      .filter(({ isDone, readAtMs }) => !isDone && readAtMs <= beforeMs)
      .map(({ item }) => item)
  }

  /** How far it has come; what is before that is forgotten. */
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
