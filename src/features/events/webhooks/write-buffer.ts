/** The pending writes of one webhook: one row per delivery, with everything that happened to it. */
import type { Attempt } from './schema.ts'
import type { Delivery, DeliveryStatus, DeliveryWrite } from './delivery.ts'

interface Change {
  status: DeliveryStatus
  /** Null: it has ended, or waits for an earlier one. */
  nextTryAt: number | null
  attempt?: Attempt
}

export class WriteBuffer {
  #rows = new Map<string, DeliveryWrite>()

  get size(): number {
    return this.#rows.size
  }

  /** From now on the delivery is a row. */
  write(delivery: Delivery, { status, nextTryAt, attempt }: Change): void {
    const { id, eventId, seq, subjectId, type, tries, firstTriedAt } = delivery
    const before = this.#rows.get(id)
    delivery.isKept = true
    this.#rows.set(id, {
      id,
      event_id: eventId,
      seq,
      subject_id: subjectId,
      type,
      status,
      tries,
      first_tried_at: firstTriedAt,
      tried_at: attempt?.at ?? before?.tried_at ?? null,
      next_try_at: nextTryAt,
      attempts: [...(before?.attempts ?? []), ...(attempt ? [attempt] : [])],
    })
  }

  has(id: string): boolean {
    return this.#rows.has(id)
  }

  take(): DeliveryWrite[] {
    const rows = [...this.#rows.values()]
    this.#rows = new Map()
    return rows
  }
}
