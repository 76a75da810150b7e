/**
 * Compares this machine's clock with the database's. Most times are the database's own, but tokens
 * expire by the clock of the process that reads them, and presence is ordered by the clocks of the
 * processes. An operator has to be warned of a wrong clock.
 */
import { LogThrottle } from '../platform/lib/log-throttle.ts'
import type { Log } from '../platform/log.ts'

/** More than the error of a clock kept by NTP, and of the measurement. */
const TOLERATED_MS = 5_000
/** A slower response says too little: it is of any moment of that time. */
const LONGEST_ROUND_TRIP_MS = 1_000
const SILENCE_MS = 600_000

export type ClockWatch = ReturnType<typeof createClockWatch>

export function createClockWatch(log: Log) {
  let lastMs = 0
  const throttle = new LogThrottle(SILENCE_MS)
  return {
    /** The last offset that was measured well, in seconds. */
    offset: () => lastMs / 1_000,
    /**
     * @param offsetMs how far the database's clock is ahead of this machine's, for a response of
     * the middle of the round trip
     * @param roundTripMs how long the query took
     */
    onOffset: (offsetMs: number, roundTripMs: number): void => {
      if (roundTripMs > LONGEST_ROUND_TRIP_MS) return
      lastMs = offsetMs
      if (Math.abs(offsetMs) < TOLERATED_MS || !throttle.isDue()) return
      const fields = { database_ahead_s: Math.round(offsetMs / 1_000) }
      log('warn', 'the clocks of this machine and of the database differ', fields)
    },
  }
}
