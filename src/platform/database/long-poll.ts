/**
 * Long polls: reads something until it is settled, and waits for the change feed in between. No
 * connection is held while waiting.
 */
import type { ChangeFeed } from './change-feed.ts'

/** A timer may fire slightly early, and would find what settles by itself still unsettled. */
const TIMER_SLACK_MS = 20

interface PollContext {
  feed: Pick<ChangeFeed, 'sequence' | 'nextChange'>
  request: { onClose(listener: () => void): void }
}

interface Poll<Row> {
  /** The name under which its changes are announced. */
  ref: string
  /** At most this long; 0 does not wait. */
  waitSeconds: number
  read: () => Promise<Row>
  isSettled: (row: Row) => boolean
  /** Milliseconds until it settles by itself, by the database's clock. */
  settlesInMs?: (row: Row) => number
}

/** The result of `read`, once it is settled, the time is over or the client has gone. */
export async function longPoll<Row>(
  { feed, request }: PollContext,
  { ref, waitSeconds, read, isSettled, settlesInMs = () => Infinity }: Poll<Row>,
): Promise<Row> {
  const closed = new AbortController()
  if (waitSeconds > 0) request.onClose(() => closed.abort())
  // Monotonic, unlike the wall clock, which may be adjusted.
  const deadline = performance.now() + waitSeconds * 1000
  for (let isWaiting = waitSeconds > 0; ; ) {
    const since = feed.sequence
    const row = await read()
    if (!isWaiting || isSettled(row)) return row
    const leftMs = Math.min(deadline - performance.now(), settlesInMs(row) + TIMER_SLACK_MS)
    isWaiting = await feed.nextChange(ref, since, leftMs, closed.signal)
  }
}
