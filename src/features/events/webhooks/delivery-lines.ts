/**
 * Ordering of deliveries: those of one device form a line, of which only the first is sent;
 * deliveries without a device have a line each. After a failure the line waits until its first
 * delivery is due again, and later ones wait in rows, not in memory.
 */
import type { Delivery, Position } from './delivery.ts'

interface Line {
  items: Delivery[]
  /**
   * ready: the first may be sent. sending: it is in progress. still: it failed and waits. asking:
   * it has ended, and rows waiting behind it are not loaded yet.
   */
  state: 'ready' | 'sending' | 'still' | 'asking'
  /** Whether rows may wait behind those in memory. */
  hasMore: boolean
  /** The failure that stopped the line, if known. */
  failed: Delivery | undefined
  /** The first waiting row, if the line was held for it. */
  held: Position | undefined
}

const isAfter = (one: Delivery, other: Position): boolean =>
  one.seq > other.seq || (one.seq === other.seq && one.eventId > other.id)

const positionOf = ({ seq, eventId }: Delivery): Position => ({ seq, id: eventId })

const keyOf = ({ subjectId, eventId }: Delivery): string => subjectId ?? eventId

export class DeliveryLines {
  readonly #lines = new Map<string, Line>()
  readonly #known = new Map<string, Delivery>()
  readonly #asking = new Set<string>()
  #ready: string[] = []

  /** Number of deliveries in memory. */
  get size(): number {
    return this.#known.size
  }

  get hasReady(): boolean {
    return this.#ready.length > 0
  }

  has(id: string): boolean {
    return this.#known.has(id)
  }

  /** Marks a device that has waiting rows. @param held the first of them */
  hold(subjectId: string, held: Position): void {
    this.#lines.set(subjectId, {
      items: [],
      state: 'still',
      hasMore: true,
      failed: undefined,
      held,
    })
  }

  /** @returns false if the event's line is stopped, so that it must wait in a row */
  addEvent(item: Delivery): boolean {
    const line = this.#lines.get(keyOf(item))
    if (line?.state === 'still') {
      // An earlier process delivered it, and was killed before the position passed it.
      if (line.held === undefined || isAfter(item, line.held)) return false
      this.#makeReady(keyOf(item), line)
    }
    this.#append(item)
    return true
  }

  /** Adds a due row, unless it is already here or behind one that has just failed. */
  addDue(item: Delivery): boolean {
    if (this.#known.has(item.id)) return false
    const line = this.#lines.get(keyOf(item))
    if (line?.state === 'still') {
      if (line.failed !== undefined && isAfter(item, positionOf(line.failed))) return false
      this.#makeReady(keyOf(item), line)
    }
    this.#append(item)
    return true
  }

  /** The next delivery to send, or undefined. */
  take(): Delivery | undefined {
    const key = this.#ready.shift()
    const line = key === undefined ? undefined : this.#lines.get(key)
    if (line === undefined) return undefined
    line.state = 'sending'
    return line.items[0]
  }

  /** It was not sent after all. */
  putBack(item: Delivery): void {
    const line = this.#lines.get(keyOf(item))
    if (line !== undefined) this.#makeReady(keyOf(item), line)
  }

  ended(item: Delivery): void {
    const [key, line] = this.#leave(item)
    if (line.hasMore) {
      line.state = 'asking'
      this.#asking.add(key)
    } else if (line.items.length > 0) this.#makeReady(key, line)
    else this.#lines.delete(key)
  }

  /** The delivery failed. @returns those behind it, which must wait in rows now */
  failed(item: Delivery): Delivery[] {
    const [key, line] = this.#leave(item)
    if (item.subjectId === null) {
      this.#lines.delete(key)
      return []
    }
    line.state = 'still'
    line.hasMore = true
    line.failed = item
    line.held = undefined
    const behind = line.items.splice(0)
    for (const { id } of behind) this.#known.delete(id)
    return behind
  }

  /**
   * Turns a delivery into a row as well. @returns whether it waits behind another one; the end of
   * that one then loads waiting rows, so that none is missed
   */
  keep(item: Delivery): boolean {
    const line = this.#lines.get(keyOf(item))
    if (line === undefined || (line.items[0] === item && !line.hasMore)) return false
    line.hasMore = true
    return true
  }

  /** Devices whose waiting rows must be loaded. */
  asking(): string[] {
    return [...this.#asking]
  }

  get isAsking(): boolean {
    return this.#asking.size > 0
  }

  /** Adds a device's next rows, in order, and whether these are all. */
  waitingLoaded(subjectId: string, rows: readonly Delivery[], isAll: boolean): void {
    const line = this.#lines.get(subjectId)
    if (line?.state !== 'asking') return
    this.#asking.delete(subjectId)
    const unknown = rows.filter(({ id }) => !this.#known.has(id))
    for (const item of unknown) this.#known.set(item.id, item)
    // Some may already be in memory, with newer ones behind them.
    line.items.push(...unknown)
    line.items.sort((one, other) => (isAfter(one, positionOf(other)) ? 1 : -1))
    line.hasMore = !isAll
    if (line.items.length > 0) this.#makeReady(subjectId, line)
    else this.#lines.delete(subjectId)
  }

  #append(item: Delivery): void {
    const key = keyOf(item)
    this.#known.set(item.id, item)
    const line = this.#lines.get(key)
    if (line !== undefined) {
      line.items.push(item)
      return
    }
    const fresh: Line = {
      items: [item],
      state: 'ready',
      hasMore: false,
      failed: undefined,
      held: undefined,
    }
    this.#lines.set(key, fresh)
    this.#ready.push(key)
  }

  #makeReady(key: string, line: Line): void {
    line.state = 'ready'
    line.failed = undefined
    this.#ready.push(key)
  }

  #leave(item: Delivery): [key: string, line: Line] {
    const key = keyOf(item)
    const line = this.#lines.get(key)
    if (line?.items[0] !== item) throw new Error('a delivery ended that was not being sent')
    line.items.shift()
    this.#known.delete(item.id)
    return [key, line]
  }
}
