/**
 * The retry schedule: delays grow as Standard Webhooks recommends, with jitter, so that deliveries
 * that failed together are not retried together.
 */

/** Seconds before the second attempt, the third, and so on. */
export type RetryPauses = readonly number[]

/** Delays are up to a tenth longer. */
const JITTER = 0.1
/** A failing receiver is probed at least every ten minutes. */
const LONGEST_PROBE_S = 600
/** Minimum attempts before giving up, however slow they were. */
const FEWEST_TRIES = 3
/** Attempts are slightly late, never early. */
const NEARLY = 0.99

const jittered = (seconds: number): number => seconds * 1_000 * (1 + Math.random() * JITTER)

const totalMs = (pauses: RetryPauses): number =>
  pauses.reduce((sum, seconds) => sum + seconds * 1_000, 0)

/** Milliseconds until the next attempt. */
export const pauseAfter = (pauses: RetryPauses, tries: number): number =>
  jittered(pauses[Math.min(tries, pauses.length) - 1] ?? 0)

/** Milliseconds until the next probe of a receiver. */
export const probePauseAfter = (pauses: RetryPauses, probes: number): number =>
  jittered(Math.min((pauses[0] ?? 0) * 2 ** Math.min(probes, 20), LONGEST_PROBE_S))

/** Whether a delivery is given up after so many attempts and milliseconds. */
export const isOver = (pauses: RetryPauses, tries: number, ageMs: number): boolean =>
  tries > Math.min(pauses.length, FEWEST_TRIES) && ageMs >= totalMs(pauses) * NEARLY
