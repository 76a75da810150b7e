/**
 * Finds sessions on an external broker that began with an older secret. The broker reports starts
 * by its own clock and the current time with each response: only durations are compared, so clocks
 * need not agree. When unsure, a session counts as older: its client reconnects.
 */
import type { NewerSecret } from '../external-port.ts'

export interface ResponseMetadata {
  /** By `performance.now()`. */
  sentAt: number
  receivedAt: number
  /** The broker's clock, to the second; undefined if not reported. */
  date: number | undefined
}

const SECOND_MS = 1_000
/** A session may start this long before its secret is checked: hooks take up to four seconds. */
const CONNECT_MS = 5_000
/** Other processes may accept an older secret for this long, and confirming takes a while. */
const LATE_MS = 2_000

export function isOlder(
  session: { clientId: string | undefined; connectedAt: number | undefined },
  { sentAt, receivedAt, date }: ResponseMetadata,
  newer: NewerSecret,
): boolean {
  const { clientId, connectedAt } = session
  if (connectedAt === undefined || Number.isNaN(connectedAt) || date === undefined) return true
  const leastAgo = date - connectedAt
  if (clientId !== undefined && clientId === newer.clientId) {
    return leastAgo > receivedAt - newer.since + CONNECT_MS
  }
  return leastAgo + SECOND_MS + LATE_MS >= sentAt - newer.since
}
