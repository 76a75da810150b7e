/** What is sent: one event for one webhook, and the tries to deliver it. */
import type { SendFailure } from '../../webhooks/sender.ts'

/** An event as it is sent; its time in milliseconds since the epoch. */
export interface SentEvent {
  type: string
  occurred_at: number
  data: Record<string, unknown>
}

/** A delivery that has not ended, in the memory of the process that sends it. */
export interface Delivery {
  /** UUID. */
  id: string
  eventId: string
  seq: number
  /** UUID of the device whose events keep their order, if there is one. */
  subjectId: string | null
  type: string
  /** Undefined once retention has deleted it. */
  event: SentEvent | undefined
  tries: number
  /** Of the tries since it began to wait, in milliseconds since the epoch. */
  firstTriedAt: number | null
  /** Whether it is a row already. */
  isKept: boolean
}

/** A place in the feed. */
export interface Position {
  seq: number
  id: string
}

/** A row that waits, with its event. */
export interface WaitingRow {
  id: string
  event_id: string
  seq: number
  subject_id: string | null
  type: string
  tries: number
  first_tried_at: number | null
  /** Null once retention has deleted it. */
  event: SentEvent | null
}

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

export type AttemptFailure = SendFailure | 'refused_target' | 'event_gone'

/** One try, as it is kept. Times in milliseconds since the epoch. */
export interface Attempt {
  at: number
  url: string
  signature: string
  status: number | null
  failure: AttemptFailure | null
  answer: string
  took_ms: number
}

export type DeliveryStatus = 'waiting' | 'delivered' | 'dead'

/** A row as it is to be written; times in milliseconds since the epoch. */
export interface DeliveryWrite {
  id: string
  event_id: string
  seq: number
  subject_id: string | null
  type: string
  status: DeliveryStatus
  tries: number
  first_tried_at: number | null
  tried_at: number | null
  /** Null: it has ended, or waits behind an earlier one of its device. */
  next_try_at: number | null
  /** Those to be added. */
  attempts: Attempt[]
}
