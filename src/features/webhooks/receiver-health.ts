/**
 * How the receiver of a webhook does as a whole. After some failures without a success between them
 * it is left alone, and tried with one delivery at a time, so that one that is away for a day does
 * not fail each of a hundred thousand events. Time is that of the database.
 */
import { isOver, probePauseAfter, type RetryPauses } from './retry-schedule.ts'

/** Failures without a success, after which a receiver is left alone. */
const MOST_FAILURES = 5

/** The pause where there is nothing to try it with is that after so many probes. */
const IDLE_PROBES = 5

export interface HealthState {
  failures: number
  /** Milliseconds since the epoch. */
  failingSince: number | null
  /** Not null: it is left alone until then. */
  probeAt: number | null
}

export class ReceiverHealth implements HealthState {
  failures: number
  failingSince: number | null
  probeAt: number | null
  readonly #pauses: RetryPauses
  #isProbing: boolean

  constructor({ failures, failingSince, probeAt }: HealthState, pauses: RetryPauses) {
    this.failures = failures
    this.failingSince = failingSince
    this.probeAt = probeAt
    this.#pauses = pauses
    this.#isProbing = probeAt !== null
  }

  get isLeftAlone(): boolean {
    return this.probeAt !== null
  }

  get isToBeProbed(): boolean {
    return this.#isProbing
  }

  /** Every other time it is tried with something that was not tried before, if there is any. */
  get isToTryNew(): boolean {
    return this.#isProbing && this.failures % 2 === 1
  }

  /** Whether the one delivery that tries a receiver may be sent; it may be so once. */
  takeProbe(): boolean {
    const isProbing = this.#isProbing
    this.#isProbing = false
    return isProbing
  }

  /** There was nothing to try it with. */
  putOff(now: number): void {
    this.#isProbing = false
    this.probeAt = now + probePauseAfter(this.#pauses, IDLE_PROBES)
  }

  /** @returns since when it had failed, if it had been left alone. */
  succeeded(): number | undefined {
    const since = this.isLeftAlone ? (this.failingSince ?? undefined) : undefined
    this.reset()
    return since
  }

  reset(): void {
    this.failures = 0
    this.failingSince = null
    this.probeAt = null
    this.#isProbing = false
  }

  /**
   * @param wasProbe of what was under way when it was left alone no account is taken.
   * @param retryAfterS how long the receiver asks to be left alone.
   * @returns whether it has failed for so long that it is to be disabled.
   */
  failed(now: number, wasProbe: boolean, retryAfterS: number | undefined): boolean {
    if (this.isLeftAlone && !wasProbe) return false
    this.failures += 1
    this.failingSince ??= now
    const probes = this.failures - MOST_FAILURES
    if (wasProbe || probes >= 0 || retryAfterS !== undefined) {
      const pause = probePauseAfter(this.#pauses, Math.max(probes, 0))
      this.probeAt = now + Math.max(pause, (retryAfterS ?? 0) * 1_000)
    }
    return isOver(this.#pauses, this.failures, now - this.failingSince)
  }
}
