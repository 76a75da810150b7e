/** A delivery: one event for one webhook, with its attempts. */
import { DnsFailure } from '../../../adapters/dns/resolver.ts'
import { NoAddress, TargetRefused } from '../../../adapters/webhook-sender/target.ts'
import type { Attempt, SentEvent } from './schema.ts'

export type { Position } from '../feed/event-reading.ts'

/** An unfinished delivery in the memory of the delivering process. */
export interface Delivery {
  /** UUID. */
  id: string
  eventId: string
  seq: number
  /** UUID of the device whose events keep their order, if any. */
  subjectId: string | null
  type: string
  /** Undefined once deleted by retention. */
  event: SentEvent | undefined
  tries: number
  /** First attempt since it was last made due, in milliseconds since the epoch. */
  firstTriedAt: number | null
  /** Whether it is a row already. */
  isKept: boolean
}

export type DeliveryStatus = 'waiting' | 'delivered' | 'dead'

/** A row to write; times in milliseconds since the epoch. */
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
  /** Null: it has ended, or waits for an earlier one of its device. */
  next_try_at: number | null
  /** Attempts to add. */
  attempts: Attempt[]
}

/**
 * Why nothing could be sent at all.
 * @throws whatever else was thrown
 */
export function targetFailureOf(error: unknown): 'refused_target' | 'unreachable' {
  if (error instanceof TargetRefused) return 'refused_target'
  if (error instanceof DnsFailure || error instanceof NoAddress) return 'unreachable'
  throw error
}
