/**
 * Ordering of deliveries: deliveries of one device form a queue, of which only the first is sent;
 * deliveries without a device have a queue each. After a failure the queue waits until its first
 * delivery is due again, and later ones wait in rows, not in memory.
 */
import { isAfter } from '../feed/event-reading.ts'
import type { WaitingRow } from './delivery-store.ts'
import type { Delivery, Position } from './delivery.ts'

interface DeviceQueue {
  items: Delivery[]
  /**
   * ready: the first may be sent. sending: it is in progress. stopped: it failed and waits.
   * loading: it has ended, and rows waiting behind it are not loaded yet.
   */
  state: 'ready' | 'sending' | 'stopped' | 'loading'
  /** Whether rows may wait behind those in memory. */
  hasMore: boolean
  /** The failure that stopped the queue, if known. */
  failed?: Delivery | undefined
  /** The first waiting row, if the queue was held for it. */
  held?: Position | undefined
}

const positionOf = ({ seq, eventId }: Delivery): Position => ({ seq, id: eventId })

const isBehind = (one: Delivery, other: Position): boolean => isAfter(positionOf(one), other)

const keyOf = ({ subjectId, eventId }: Delivery): string => subjectId ?? eventId

/** A waiting row in memory. */
export const deliveryOf = (row: WaitingRow): Delivery => ({
  id: row.id,
  eventId: row.event_id,
  seq: row.seq,
  subjectId: row.subject_id,
  type: row.type,
  event: row.event ?? undefined,
  tries: row.tries,
  firstTriedAt: row.first_tried_at,
  isKept: true,
})

export class DeviceQueues {
  readonly #queues = new Map<string, DeviceQueue>()
  readonly #known = new Map<string, Delivery>()
  readonly #loading = new Set<string>()
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
    this.#queues.set(subjectId, { items: [], state: 'stopped', hasMore: true, held })
  }

  /** @returns false if the event's queue is stopped, so that it must wait in a row */
  addEvent(item: Delivery): boolean {
    const queue = this.#queues.get(keyOf(item))
    if (queue?.state === 'stopped') {
      // An earlier process delivered it, and was killed before the position passed it.
      if (queue.held === undefined || isBehind(item, queue.held)) return false
      this.#makeReady(keyOf(item), queue)
    }
    this.#append(item)
    return true
  }

  /** Adds a due row, unless it is already here or behind one that has just failed. */
  addDue(item: Delivery): boolean {
    if (this.#known.has(item.id)) return false
    const queue = this.#queues.get(keyOf(item))
    if (queue?.state === 'stopped') {
      if (queue.failed !== undefined && isBehind(item, positionOf(queue.failed))) return false
      this.#makeReady(keyOf(item), queue)
    }
    this.#append(item)
    return true
  }

  /** The next delivery to send, or undefined. */
  take(): Delivery | undefined {
    const key = this.#ready.shift()
    const queue = key === undefined ? undefined : this.#queues.get(key)
    if (queue === undefined) return undefined
    queue.state = 'sending'
    return queue.items[0]
  }

  /** It was not sent after all. */
  putBack(item: Delivery): void {
    const queue = this.#queues.get(keyOf(item))
    if (queue !== undefined) this.#makeReady(keyOf(item), queue)
  }

  ended(item: Delivery): void {
    const [key, queue] = this.#leave(item)
    if (queue.hasMore) {
      queue.state = 'loading'
      this.#loading.add(key)
    } else if (queue.items.length > 0) this.#makeReady(key, queue)
    else this.#queues.delete(key)
  }

  /** The delivery failed. @returns those behind it, which must wait in rows now */
  failed(item: Delivery): Delivery[] {
    const [key, queue] = this.#leave(item)
    if (item.subjectId === null) {
      this.#queues.delete(key)
      return []
    }
    queue.state = 'stopped'
    queue.hasMore = true
    queue.failed = item
    queue.held = undefined
    const behind = queue.items.splice(0)
    for (const { id } of behind) this.#known.delete(id)
    return behind
  }

  /**
   * Turns a delivery into a row as well. @returns whether it waits behind another one; the end of
   * that one then loads waiting rows, so that none is missed
   */
  keep(item: Delivery): boolean {
    const queue = this.#queues.get(keyOf(item))
    if (queue === undefined || (queue.items[0] === item && !queue.hasMore)) return false
    queue.hasMore = true
    return true
  }

  /** Devices whose waiting rows must be loaded. */
  loading(): string[] {
    return [...this.#loading]
  }

  get isLoading(): boolean {
    return this.#loading.size > 0
  }

  /** Adds a device's next rows, in order, and whether these are all. */
  waitingLoaded(subjectId: string, rows: readonly Delivery[], isAll: boolean): void {
    const queue = this.#queues.get(subjectId)
    if (queue?.state !== 'loading') return
    this.#loading.delete(subjectId)
    const unknown = rows.filter(({ id }) => !this.#known.has(id))
    for (const item of unknown) this.#known.set(item.id, item)
    // Some may already be in memory, with newer ones behind them.
    queue.items.push(...unknown)
    queue.items.sort((one, other) => (isBehind(one, positionOf(other)) ? 1 : -1))
    queue.hasMore = !isAll
    if (queue.items.length > 0) this.#makeReady(subjectId, queue)
    else this.#queues.delete(subjectId)
  }

  #append(item: Delivery): void {
    const key = keyOf(item)
    this.#known.set(item.id, item)
    const queue = this.#queues.get(key)
    if (queue !== undefined) {
      queue.items.push(item)
      return
    }
    this.#queues.set(key, { items: [item], state: 'ready', hasMore: false })
    this.#ready.push(key)
  }

  #makeReady(key: string, queue: DeviceQueue): void {
    queue.state = 'ready'
    queue.failed = undefined
    this.#ready.push(key)
  }

  #leave(item: Delivery): [key: string, queue: DeviceQueue] {
    const key = keyOf(item)
    const queue = this.#queues.get(key)
    if (queue?.items[0] !== item) throw new Error('a delivery ended that was not being sent')
    queue.items.shift()
    this.#known.delete(item.id)
    return [key, queue]
  }
}
