/**
 * When what failed is tried again. Pauses grow as Standard Webhooks proposes, and are lengthened
 * at random, so that what failed together does not come back together.
 */

/** Seconds before the second try, the third one, and so on. */
export type RetryPauses = readonly number[]

/** A pause is up to a tenth longer. */
const JITTER = 0.1
/** A receiver that fails as a whole is looked at every ten minutes at least. */
const LONGEST_PROBE_S = 600
/** However slowly they came, so many tries were made before anything is given up. */
const FEWEST_TRIES = 3
/** Tries come a little late, never early. */
const NEARLY = 0.99

const jittered = (seconds: number): number => seconds * 1_000 * (1 + Math.random() * JITTER)

const totalMs = (pauses: RetryPauses): number =>
  pauses.reduce((sum, seconds) => sum + seconds * 1_000, 0)

/** Milliseconds until the next try, after so many. */
export const pauseAfter = (pauses: RetryPauses, tries: number): number =>
  jittered(pauses[Math.min(tries, pauses.length) - 1] ?? 0)

/** Milliseconds until a receiver is tried again that has failed so many probes. */
export const probePauseAfter = (pauses: RetryPauses, probes: number): number =>
  jittered(Math.min((pauses[0] ?? 0) * 2 ** Math.min(probes, 20), LONGEST_PROBE_S))

/** Whether what has failed so often, and for so many milliseconds, is given up. */
export const isOver = (pauses: RetryPauses, tries: number, ageMs: number): boolean =>
  tries > Math.min(pauses.length, FEWEST_TRIES) && ageMs >= totalMs(pauses) * NEARLY
