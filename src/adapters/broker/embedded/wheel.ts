/**
 * One timer for the deadlines of very many items. An item is checked when its slot comes up; if its
 * deadline is later by then, the item moves to a later slot. So a packet that postpones a deadline
 * costs nothing.
 */

export interface Timed {
  /** Milliseconds of the wheel's clock; 0: never. */
  readonly dueAt: number
  /** Where the wheel keeps it; -1: nowhere. */
  slot: number
  /** Called after the deadline; the item is no longer in the wheel then. */
  due(): void
}

/** How late a deadline may be noticed. */
const TICK_MS = 100
/** The wheel spans a minute; items that are due later are checked once a minute. */
const SLOTS = 600

/** Whole milliseconds: V8 stores small integers in a field without an allocation. */
const clock = (): number => Math.trunc(performance.now())

export class Wheel {
  /** The time of the last tick, in milliseconds. */
  now = clock()
  #slots: (Set<Timed> | undefined)[] = []
  #position = 0
  #timer: NodeJS.Timeout | undefined

  start(): void {
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Puts an item into the slot of its present deadline. */
  add(item: Timed): void {
    this.remove(item)
    const { dueAt } = item
    if (dueAt === 0) return
    const ticks = Math.ceil((dueAt - this.now) / TICK_MS)
    const ahead = Math.min(Math.max(ticks, 1), SLOTS - 1)
    item.slot = (this.#position + ahead) % SLOTS
    const slot = (this.#slots[item.slot] ??= new Set())
    slot.add(item)
  }

  remove(item: Timed): void {
    if (item.slot === -1) return
    this.#slots[item.slot]?.delete(item)
    item.slot = -1
  }

  /**
   * Node runs timers before it reads input. The slots wait until packets that arrived while the
   * process was busy are read, so that no client with packets in its socket counts as silent.
   */
  #tick(): void {
    const now = clock()
    const passed = Math.min(SLOTS, Math.floor((now - this.now) / TICK_MS))
    this.now = now
    setImmediate(() => {
      for (let count = 0; count < Math.max(1, passed); count += 1) this.#turn()
    })
  }

  #turn(): void {
    this.#position = (this.#position + 1) % SLOTS
    const slot = this.#slots[this.#position]
    if (slot === undefined) return
    this.#slots[this.#position] = undefined
    for (const item of slot) {
      item.slot = -1
      const { dueAt } = item
      if (dueAt > this.now) this.add(item)
      else if (dueAt !== 0) item.due()
    }
  }
}
