/**
 * A circuit breaker for a webhook's receiver. After several consecutive failures, deliveries pause
 * and the receiver is probed with one at a time, so that an outage of a day does not fail each of a
 * hundred thousand events. Uses the database's time.
 */
import { isOver, probePauseAfter, type RetryPauses } from './retry-schedule.ts'

/** Consecutive failures after which deliveries pause. */
const MAX_FAILURES = 5

/** If there is nothing to probe with, the pause is that after this many probes. */
const IDLE_PROBES = 5

export interface HealthState {
  failures: number
  /** Milliseconds since the epoch. */
  failingSince: number | null
  /** Not null: paused until then. */
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

  get isPaused(): boolean {
    return this.probeAt !== null
  }

  get isProbeDue(): boolean {
    return this.#isProbing
  }

  /** Alternates probes with new deliveries, if there are any. */
  get isToTryNew(): boolean {
    return this.#isProbing && this.failures % 2 === 1
  }

  /** Whether a probe may be sent now; true once per probe. */
  takeProbe(): boolean {
    const isProbing = this.#isProbing
    this.#isProbing = false
    return isProbing
  }

  /** There was nothing to probe with. */
  postpone(now: number): void {
    this.#isProbing = false
    this.probeAt = now + probePauseAfter(this.#pauses, IDLE_PROBES)
  }

  /** @returns since when it had failed, if it was paused */
  succeeded(): number | undefined {
    const since = this.isPaused ? (this.failingSince ?? undefined) : undefined
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
   * @param wasProbe requests in progress when the pause began are ignored
   * @param retryAfterS the receiver's `Retry-After`
   * @returns whether it has failed for so long that the webhook is to be disabled
   */
  failed(now: number, wasProbe: boolean, retryAfterS: number | undefined): boolean {
    if (this.isPaused && !wasProbe) return false
    this.failures += 1
    this.failingSince ??= now
    const probes = this.failures - MAX_FAILURES
    if (wasProbe || probes >= 0 || retryAfterS !== undefined) {
      const pause = probePauseAfter(this.#pauses, Math.max(probes, 0))
      this.probeAt = now + Math.max(pause, (retryAfterS ?? 0) * 1_000)
    }
    return isOver(this.#pauses, this.failures, now - this.failingSince)
  }
}
