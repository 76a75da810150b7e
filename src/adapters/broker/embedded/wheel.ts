/**
 * Deadlines of very many things with one timer. A thing is looked at when its slot comes up; if it
 * is not due by then, because something happened meanwhile, it moves on. So a packet that puts a
 * deadline off costs nothing.
 */

export interface Timed {
  /** Milliseconds of the wheel's clock; 0: never. */
  readonly dueAt: number
  /** Where the wheel keeps it; -1: nowhere. */
  slot: number
  /** Its time has come. It is no longer in the wheel. */
  due(): void
}

/** How late something may be found due. */
const TICK_MS = 100
/** The wheel spans a minute; timers that are due later are looked at once a minute. */
const SLOTS = 600

/** Whole milliseconds: they take no memory of their own in the fields that hold them. */
const clock = (): number => Math.trunc(performance.now())

export class Wheel {
  /** Milliseconds, as of the current turn or up to a tick before. */
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

  /** Puts it in, or at the place of its present deadline. */
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
   * Timers come before input: packets that arrived while the process was busy are read first, so
   * that no client is ended as silent while its packets lie in the socket.
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
