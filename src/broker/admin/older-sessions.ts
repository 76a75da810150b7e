/**
 * Which sessions on a broker elsewhere began with an older secret. The broker tells when each began
 * by its own clock, and with each answer what that shows now: only durations are compared, so that
 * no two clocks have to agree. Where unsure a session counts as older: one that ends comes back.
 */
import type { NewerSecret } from '../external-port.ts'

/** What is known of an answer of the broker. */
export interface Told {
  /** By `performance.now()`. */
  sentAt: number
  receivedAt: number
  /** What the broker's clock showed, to the second; undefined: it did not say. */
  date: number | undefined
}

const SECOND_MS = 1_000
/** A session may begin that much before its secret is looked at: hooks take up to four seconds. */
const CONNECT_MS = 5_000
/** Other processes may let an older secret in for that long, and confirming takes a while. */
const LATE_MS = 2_000

export function isOlder(
  session: { clientId: string | undefined; connectedAt: number | undefined },
  { sentAt, receivedAt, date }: Told,
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
