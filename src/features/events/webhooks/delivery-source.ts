/** Supplies a webhook's deliveries: due rows first, then the event feed. */
import type { Db } from '../../../platform/database/connect.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { readOn } from '../feed/event-reading.ts'
import type { EventServices } from '../feed/event-watch.ts'
import { deliveryOf, type DeviceQueues } from './device-queues.ts'
import * as store from './delivery-store.ts'
import type { DeliveryWriter } from './delivery-writer.ts'
import type { Delivery } from './delivery.ts'

/** Events read at once, and the maximum in memory. */
const BATCH = 200
const WINDOW = 600
/** Waiting rows of a webhook up to which it keeps reading the feed. */
const MAX_WAITING = 10_000
const POLL_MS = 250
/** If this many rows were due, there may be more. */
const MANY_DUE = 100
/** Read in addition to those that are known. */
const MAX_DUE = 200
export const POLL_DUE_MS = 1_000

export class DeliverySource {
  /** Undefined: all event types. */
  types: readonly string[] | undefined
  readonly #services: { db: Db } & Pick<EventServices, 'safeSequence'>
  readonly #claim: store.Claim
  readonly #place: { workspaceId: string; webhookId: string }
  readonly #queues: DeviceQueues
  readonly #writer: DeliveryWriter
  /** Rows that may be read again before their outcome is written. */
  readonly #noted = new Set<string>()
  /** Events after the position that an earlier process has turned into waiting rows. */
  readonly #ahead = new Set<string>()
  #waiting = 0
  #polledDueAt = 0
  #readOnAt = 0

  constructor(
    services: { db: Db } & Pick<EventServices, 'safeSequence'>,
    claim: store.Claim,
    { queues, writer }: { queues: DeviceQueues; writer: DeliveryWriter },
  ) {
    this.#services = services
    this.#claim = claim
    this.#place = { workspaceId: claim.workspace_id, webhookId: claim.webhook_id }
    this.#queues = queues
    this.#writer = writer
  }

  async open(): Promise<void> {
    const { seq: after, event_id: eventId } = this.#claim
    const from = { ...this.#place, seq: after, eventId }
    const subjects = await store.findWaitingSubjects.rows(this.#services.db, from)
    for (const { subject_id: subjectId, waiting, seq, event_id: id, ahead } of subjects) {
      this.#waiting += waiting
      for (const eventId of ahead) this.#ahead.add(eventId)
      if (subjectId !== null) this.#queues.hold(subjectId, { seq, id })
    }
  }

  /** Something happened in the workspace. */
  wake(): void {
    this.#readOnAt = 0
  }

  /**
   * @param isNewFirst reads new events first, as due rows may be those that always fail
   * @returns whether there may be something to send now
   */
  async poll(isNewFirst: boolean): Promise<boolean> {
    const now = performance.now()
    if (isNewFirst && (await this.#readOn()) && this.#queues.hasReady) return true
    if (this.#writer.isExpedited()) this.#polledDueAt = 0
    if (now - this.#polledDueAt >= POLL_DUE_MS) {
      this.#polledDueAt = now
      await this.#takeDue()
      if (this.#queues.hasReady) return true
    }
    if (now < this.#readOnAt || this.#writer.window.size >= WINDOW) return false
    if (this.#waiting >= MAX_WAITING) return false
    return this.#readOn()
  }

  /** A delivery is about to become a waiting row, or to stop being one. */
  note(delivery: Delivery, isWaiting: boolean): void {
    if (isWaiting && !delivery.isKept) this.#waiting += 1
    if (!isWaiting && delivery.isKept && this.#waiting > 0) this.#waiting -= 1
    if (delivery.isKept || isWaiting) this.#noted.add(delivery.id)
  }

  /** It must wait for an earlier delivery of its device. */
  keepBehind(delivery: Delivery): void {
    this.note(delivery, true)
    this.#writer.write(delivery, { status: 'waiting', nextTryAt: null })
  }

  async #takeDue(): Promise<void> {
    for (const id of this.#noted) if (!this.#writer.isUnwritten(id)) this.#noted.delete(id)
    const limit = MAX_DUE + this.#queues.size + this.#noted.size
    const rows = await store.findDue.rows(this.#services.db, { ...this.#place, limit })
    const fresh = rows.filter(({ id }) => !this.#noted.has(id))
    const added = fresh.filter((row) => this.#queues.addDue(deliveryOf(row)))
    if (added.length >= MANY_DUE) this.#polledDueAt = 0
  }

  async #readOn(): Promise<boolean> {
    const { window } = this.#writer
    const options = { types: this.types, limit: BATCH }
    const reader = { ...this.#services, workspaceId: this.#claim.workspace_id }
    const { events, next, isEnd } = await readOn(reader, window.end, options)
    for (const { id: eventId, seq, subject_id: subjectId, type, ...event } of events) {
      if (this.#ahead.delete(eventId)) continue
      const delivery: Delivery = {
        id: newUuid(),
        eventId,
        seq,
        subjectId,
        type,
        event: { type, ...event },
        tries: 0,
        firstTriedAt: null,
        isKept: false,
      }
      window.add(delivery, performance.now())
      if (!this.#queues.addEvent(delivery)) this.keepBehind(delivery)
    }
    window.readUpTo(next)
    if (isEnd) this.#readOnAt = performance.now() + POLL_MS
    return events.length > 0 || !isEnd
  }
}
