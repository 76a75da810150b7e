/**
 * Records the outcome of a webhook's deliveries in batches, together with its feed position, which
 * also renews the lease. Nothing written after losing the lease counts: another process has
 * continued by then.
 */
import { retryUntilDone } from '../../../platform/lib/retry-until-done.ts'
import { WriteBuffer } from './write-buffer.ts'
import { deliveryOf, type DeviceQueues } from './device-queues.ts'
import {
  type SideEffects,
  commitProgress,
  type Committed,
  MAX_RELEASED,
} from './delivery-commit.ts'
import type * as store from './delivery-store.ts'
import type { Delivery } from './delivery.ts'
import { FeedWindow } from './feed-window.ts'
import { ReceiverHealth } from './receiver-health.ts'
import type { RetryPauses } from './retry-schedule.ts'
import { findWebhook, type WebhookRow } from './store.ts'
import type { DisabledReason } from './webhook-disabling.ts'
import type { Services } from '../../../context.ts'

export interface WriterServices extends Pick<Services, 'db' | 'keyring'> {
  pauses: RetryPauses
  warn: (message: string, error: unknown) => void
}

interface WriterDeps {
  queues: DeviceQueues
  /** The webhook was changed. */
  onRow: (row: WebhookRow) => void
  /** No further requests; `isLost`: requests in progress do not count either. */
  onOver: (isLost: boolean) => void
  onWritten: () => void
}

/** By its own clock, the process gives the webhook up slightly before the lease ends. */
const HELD_MS = 9_000
const WRITE_MS = 200
const RENEW_MS = 2_000
const RETRY_MS = 200
/** This many rows are written without further delay. */
const MANY = 200
/** A delivery that holds back the position for this long becomes a row. */
const STRAGGLE_MS = 2_000
/** When another process retries what a killed process had in progress. */
const IN_FLIGHT_MS = 20_000

export class DeliveryWriter {
  readonly health: ReceiverHealth
  readonly window: FeedWindow
  readonly #services: WriterServices
  readonly #claim: store.Claim
  readonly #deps: WriterDeps
  readonly #buffer = new WriteBuffer()
  /** The write in progress. */
  #inFlight: ReadonlySet<string> = new Set()
  #wake: () => void = () => {}
  #heldUntil = performance.now() + HELD_MS
  #clock: { database: number; here: number }
  #isFinished = false
  #isToRenew = false
  #disabling: DisabledReason | undefined
  #backSince: number | undefined
  #wasExpedited = false
  #revision = 0

  constructor(services: WriterServices, claim: store.Claim, deps: WriterDeps) {
    this.#services = services
    this.#claim = claim
    this.#deps = deps
    this.#clock = { database: claim.now, here: performance.now() }
    this.window = new FeedWindow({ seq: claim.seq, id: claim.event_id })
    const { failures, failing_since: failingSince, probe_at: probeAt } = claim
    this.health = new ReceiverHealth({ failures, failingSince, probeAt }, services.pauses)
  }

  /** The database's time, in milliseconds since the epoch. */
  now(): number {
    return this.#clock.database + performance.now() - this.#clock.here
  }

  isHeld(): boolean {
    return performance.now() < this.#heldUntil
  }

  /** Whether rows were made due early since the last call. */
  isExpedited(): boolean {
    const was = this.#wasExpedited
    this.#wasExpedited = false
    return was
  }

  write(delivery: Delivery, change: Parameters<WriteBuffer['write']>[1]): void {
    this.#buffer.write(delivery, change)
    this.window.done(delivery.id)
    if (this.#buffer.size >= MANY || this.#deps.queues.isLoading) this.#wake()
  }

  /** Whether a delivery's outcome is not written yet. */
  isUnwritten(id: string): boolean {
    return this.#buffer.has(id) || this.#inFlight.has(id)
  }

  succeeded(): void {
    this.#backSince = this.health.succeeded() ?? this.#backSince
    if (this.#backSince !== undefined) this.#wake()
  }

  failed(wasProbe: boolean, isGone: boolean, retryAfterS: number | undefined): void {
    const isHopeless = this.health.failed(this.now(), wasProbe, retryAfterS)
    if (isGone) this.#disabling = 'receiver_gone'
    else if (isHopeless) this.#disabling = 'receiver_failing'
    if (this.#disabling !== undefined) this.#wake()
  }

  /** The webhook may have changed. */
  renew(): void {
    this.#isToRenew = true
    this.#wake()
  }

  finish(): void {
    this.#isFinished = true
    this.#wake()
  }

  /** Writes until finished or the lease is lost. */
  async work(revision: number): Promise<void> {
    this.#revision = revision
    try {
      await this.#keepWriting()
    } catch (error) {
      this.#services.warn('deliveries could not be written', error)
      this.#deps.onOver(true)
    }
  }

  async #keepWriting(): Promise<void> {
    let renewedAt = performance.now()
    for (;;) {
      const isLast = this.#isFinished
      const isDue = this.#isToRenew || performance.now() - renewedAt >= RENEW_MS
      this.#isToRenew = false
      if (isLast || isDue || this.#buffer.size > 0 || this.#deps.queues.isLoading) {
        const begun = performance.now()
        if (!(await this.#writeAll(isLast))) return this.#deps.onOver(true)
        this.#heldUntil = begun + HELD_MS
        renewedAt = begun
      }
      if (isLast) return
      await this.#pause()
    }
  }

  async #pause(): Promise<void> {
    if (this.#isFinished) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, WRITE_MS)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
  }

  /** Events read but not sent will be read again, unless later ones are already done. */
  #keepStragglers(isLast: boolean): void {
    const before = isLast ? Infinity : performance.now() - STRAGGLE_MS
    for (const delivery of this.window.stragglers(before)) {
      const isBehind = this.#deps.queues.keep(delivery)
      const nextTryAt = isBehind ? null : this.now() + (isLast ? 0 : IN_FLIGHT_MS)
      this.write(delivery, { status: 'waiting', nextTryAt })
    }
  }

  /** @returns false if the lease was lost */
  async #writeAll(isLast: boolean): Promise<boolean> {
    this.#keepStragglers(isLast)
    const { failures, failingSince, probeAt } = this.health
    const position = this.window.advance()
    const rows = this.#buffer.take()
    this.#inFlight = new Set(rows.map(({ id }) => id))
    const progress = { position, failures, failingSince, probeAt, rows, isLast }
    const sideEffects = {
      loading: this.#deps.queues.loading(),
      disabling: this.#disabling,
      backSince: this.#backSince,
    }
    this.#disabling = undefined
    this.#backSince = undefined
    const done = await this.#commit(progress, sideEffects)
    this.#inFlight = new Set()
    if (done === undefined) return false
    await this.#take(done, sideEffects)
    return true
  }

  #commit(progress: store.Progress, sideEffects: SideEffects): Promise<Committed | undefined> {
    return retryUntilDone(
      () => commitProgress(this.#services, this.#claim, progress, sideEffects),
      {
        pauseMs: RETRY_MS,
        failed: (error) => this.#services.warn('deliveries could not be written', error),
        isWanted: () => this.isHeld(),
        ref: true,
      },
    )
  }

  async #take({ state, rows }: Committed, { loading, backSince }: SideEffects): Promise<void> {
    const { queues, onOver, onWritten } = this.#deps
    this.#clock = { database: state.now, here: performance.now() }
    if (backSince !== undefined) this.#wasExpedited = true
    for (const subjectId of loading) {
      const own = rows.filter(({ subject_id }) => subject_id === subjectId)
      queues.waitingLoaded(subjectId, own.map(deliveryOf), own.length < MAX_RELEASED)
    }
    if (!state.is_on) onOver(false)
    if (state.revision !== this.#revision) await this.#reload(state.revision)
    onWritten()
  }

  async #reload(revision: number): Promise<void> {
    const { workspace_id: workspaceId, webhook_id: id } = this.#claim
    const row = await findWebhook.first(this.#services.db, { workspaceId, id })
    if (row === undefined) return this.#deps.onOver(true)
    this.#revision = revision
    this.#deps.onRow(row)
  }
}
