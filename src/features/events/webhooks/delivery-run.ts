/**
 * Delivers for one webhook while holding its lease: reads the feed and due rows, sends in order,
 * and records the outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { typesNamed } from '../feed/event-types.ts'
import type { EventServices } from '../feed/event-watch.ts'
import { type ChannelServices, DeliveryChannel, type Outcome } from './delivery-channel.ts'
import { DeviceQueues } from './device-queues.ts'
import { DeliverySource, POLL_DUE_MS } from './delivery-source.ts'
import type { Claim } from './delivery-store.ts'
import { DeliveryWriter, type WriterServices } from './delivery-writer.ts'
import type { Delivery } from './delivery.ts'
import { isOver, pauseAfter } from './retry-schedule.ts'
import type { SendingSlots } from './sending-slots.ts'
import { findWebhook, type WebhookRow } from './store.ts'

export interface RunServices extends ChannelServices, EventServices, WriterServices {
  slots: SendingSlots
  timeoutMs: number
  /** Called after each attempt. */
  onTry: (outcome: 'delivered' | 'failed' | 'dead') => void
}

/** Maximum concurrent requests to one receiver; starts low and grows with successes. */
const MAX_AT_ONCE = 16
const FIRST_AT_ONCE = 2
const PAUSE_MS = 250
/** How long an idle webhook's lease is kept. */
const IDLE_WAIT_MS = 5_000
/** Time limit for requests in progress at shutdown. */
const DRAIN_MS = 3_000

export class DeliveryRun {
  readonly #services: RunServices
  readonly #claim: Claim
  readonly #queues = new DeviceQueues()
  readonly #writer: DeliveryWriter
  readonly #source: DeliverySource
  readonly #abort = new AbortController()
  readonly #sending = new Set<Promise<void>>()
  #channel: DeliveryChannel | undefined
  #atOnce = FIRST_AT_ONCE
  #isStopped = false
  #busyAt = performance.now()
  #probe: Delivery | undefined
  #idle = new AbortController()
  /** Whether something happened since the last check. */
  #isWoken = false

  constructor(services: RunServices, claim: Claim) {
    this.#services = services
    this.#claim = claim
    this.#writer = new DeliveryWriter(services, claim, {
      queues: this.#queues,
      onRow: (row) => this.#use(row),
      onOver: (isLost) => this.#end(isLost),
      onWritten: () => this.#wake(),
    })
    const deps = { queues: this.#queues, writer: this.#writer }
    this.#source = new DeliverySource(services, claim, deps)
  }

  /** Delivers until there is nothing left, the lease is lost, or it is stopped. */
  async work(): Promise<void> {
    const { db, timeoutMs } = this.#services
    const { workspace_id: workspaceId, webhook_id: id } = this.#claim
    const row = await findWebhook.first(db, { workspaceId, id })
    if (row === undefined) return
    const now = (): number => this.#writer.now()
    const options = { timeoutMs, now, stop: this.#abort.signal }
    this.#channel = new DeliveryChannel(this.#services, row, options)
    this.#use(row)
    await this.#source.open()
    const writing = this.#writer.work(row.revision)
    try {
      await this.#feed()
    } finally {
      await Promise.all(this.#sending)
      this.#writer.finish()
      await writing
      this.#channel.close()
    }
  }

  /** The webhook or its workspace may have changed. */
  changed(ref: string): void {
    const { workspace_id: workspaceId, webhook_id: id } = this.#claim
    if (ref === id || ref === workspaceId) this.#writer.renew()
  }

  /** Starts no further requests; requests in progress may finish. */
  stop(): void {
    this.#end(false)
    setTimeout(() => this.#abort.abort(), DRAIN_MS).unref()
  }

  /** Yields to others: requests in progress finish, the rest waits for the next lease. */
  yieldTurn(): void {
    this.#end(false)
  }

  #end(isLost: boolean): void {
    this.#isStopped = true
    this.#wake()
    if (isLost) this.#abort.abort()
  }

  #wake(): void {
    this.#isWoken = true
    this.#idle.abort()
  }

  #use(row: WebhookRow): void {
    this.#channel?.use(row)
    this.#source.types = row.types === null ? undefined : typesNamed(row.types)
  }

  async #feed(): Promise<void> {
    while (!this.#isStopped && this.#writer.isHeld()) {
      this.#isWoken = false
      const next = this.#maySend() ? this.#queues.take() : undefined
      if (next !== undefined) {
        await this.#start(next)
        continue
      }
      if (this.#isPaused()) {
        if (this.#sending.size === 0) return
        await this.#pause()
        continue
      }
      if (!this.#queues.hasReady && (await this.#source.poll(this.#writer.health.isToTryNew)))
        continue
      const isIdle = this.#sending.size === 0 && this.#queues.size === 0
      if (isIdle && !(await this.#waitIdle())) return
      if (!isIdle) await this.#pause()
    }
  }

  #maySend(): boolean {
    const { health } = this.#writer
    if (!health.isPaused) return this.#sending.size < this.#atOnce
    return this.#queues.hasReady && health.takeProbe()
  }

  /** Whether nothing is sent until the next probe of the receiver. */
  #isPaused(): boolean {
    const { health } = this.#writer
    return health.isPaused && !health.isProbeDue
  }

  async #pause(): Promise<void> {
    if (this.#isWoken) return
    this.#idle = new AbortController()
    await sleep(PAUSE_MS, undefined, { signal: this.#idle.signal }).catch(() => {})
  }

  /** Waits for something to happen. @returns false after a while */
  async #waitIdle(): Promise<boolean> {
    const { health } = this.#writer
    if (health.isProbeDue) {
      health.postpone(this.#writer.now())
      return false
    }
    if (performance.now() - this.#busyAt > IDLE_WAIT_MS) return false
    this.#idle = new AbortController()
    const { eventWatch } = this.#services
    // A wait that keeps returning immediately would starve other work.
    if (eventWatch.isEnded) return false
    const { workspace_id: workspaceId } = this.#claim
    const { end } = this.#writer.window
    const { signal } = this.#idle
    if (await eventWatch.next(workspaceId, end, POLL_DUE_MS, signal)) this.#source.wake()
    return !this.#isStopped
  }

  async #start(delivery: Delivery): Promise<void> {
    const { health } = this.#writer
    const isProbe = health.isPaused
    if (isProbe) this.#probe = delivery
    const { workspace_id: workspaceId } = this.#claim
    const isFailing = health.failures > 0
    const giveBack = await this.#services.slots.take({ workspaceId, isFailing })
    if (this.#isStopped || !this.#writer.isHeld()) {
      giveBack()
      return this.#queues.putBack(delivery)
    }
    const sending = this.#send(delivery).finally(() => {
      giveBack()
      this.#sending.delete(sending)
      this.#busyAt = performance.now()
      this.#wake()
    })
    this.#sending.add(sending)
  }

  async #send(delivery: Delivery): Promise<void> {
    try {
      const outcome = await (this.#channel as DeliveryChannel).send(delivery)
      // An aborted attempt says nothing; the next lease holder sends it again.
      if (!this.#abort.signal.aborted) this.#note(delivery, outcome)
    } catch (error) {
      this.#services.warn('a webhook could not be sent', error)
      this.#end(true)
    }
  }

  #note(delivery: Delivery, { attempt, isDelivered, isGone, retryAfter }: Outcome): void {
    const { pauses, onTry } = this.#services
    const now = this.#writer.now()
    delivery.tries += 1
    delivery.firstTriedAt ??= attempt.at
    const isDead =
      attempt.failure === 'event_gone' ||
      (!isDelivered && isOver(pauses, delivery.tries, now - delivery.firstTriedAt))
    onTry(isDelivered ? 'delivered' : isDead ? 'dead' : 'failed')
    if (isDelivered || isDead) {
      this.#source.note(delivery, false)
      this.#queues.ended(delivery)
      const status = isDelivered ? 'delivered' : 'dead'
      this.#writer.write(delivery, { status, nextTryAt: null, attempt })
    } else {
      this.#source.note(delivery, true)
      const behind = this.#queues.failed(delivery)
      const pause = Math.max(pauseAfter(pauses, delivery.tries), (retryAfter ?? 0) * 1_000)
      this.#writer.write(delivery, { status: 'waiting', nextTryAt: now + pause, attempt })
      for (const each of behind) this.#source.keepBehind(each)
    }
    if (attempt.failure === 'event_gone') return
    this.#evaluate(delivery, isDelivered, isGone, retryAfter)
  }

  /** The conclusion of an attempt about the receiver as a whole. */
  #evaluate(delivery: Delivery, isDelivered: boolean, isGone: boolean, after?: number): void {
    if (isDelivered) {
      this.#atOnce = Math.min(this.#atOnce + 1, MAX_AT_ONCE)
      return this.#writer.succeeded()
    }
    this.#atOnce = Math.max(1, Math.floor(this.#atOnce / 2))
    this.#writer.failed(delivery === this.#probe, isGone, after)
  }
}
