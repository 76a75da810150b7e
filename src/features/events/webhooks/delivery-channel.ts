/**
 * The connection to a webhook's receiver while a process delivers to it: its checked address,
 * kept-alive connections, and signing secrets.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import { during, type Span, type SpanStart } from '../../../platform/trace/span.ts'
import type { Tracer } from '../../../platform/trace/tracer.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import { isDelivered, keepingAgent, sendWebhook } from '../../../adapters/webhook-sender/sender.ts'
import { signedHeaders } from '../../../adapters/webhook-sender/signature.ts'
import {
  resolveTarget,
  type Target,
  type TargetRules,
} from '../../../adapters/webhook-sender/target.ts'
import { viewOf } from '../feed/event-reading.ts'
import { type Delivery, targetFailureOf } from './delivery.ts'
import type { Attempt } from './schema.ts'
import type { WebhookRow } from './store.ts'
import { decryptSecrets, type SigningSecrets } from './webhook-secrets.ts'

/** How long a resolved address is used; kept connections lead nowhere else anyway. */
const TARGET_MS = 10_000

const GONE = 410

export interface ChannelServices {
  keyring: Keyring
  webhookTargets: TargetRules
  /** Without it, deliveries are not traced. */
  tracer?: Tracer | undefined
}

interface ChannelOptions {
  timeoutMs: number
  /** The database's time, in milliseconds since the epoch. */
  now: () => number
  stop: AbortSignal
}

export interface Outcome {
  attempt: Attempt
  isDelivered: boolean
  /** The receiver wants no more deliveries (410). */
  isGone: boolean
  /** Seconds. */
  retryAfter: number | undefined
}

interface Route {
  target: Target
  agent: ReturnType<typeof keepingAgent>
}

const spanOf = ({ eventId, type, tries }: Delivery): SpanStart => ({
  name: 'webhook delivery',
  kind: 'client',
  attributes: {
    'http.request.method': 'POST',
    'http.request.resend_count': tries,
    'mooring.event_id': formatId('evt', eventId),
    'mooring.event_type': type,
  },
})

export class DeliveryChannel {
  readonly #services: ChannelServices
  readonly #options: ChannelOptions
  #row: WebhookRow
  #secrets: SigningSecrets
  #route: Route | undefined
  readonly #resolving = new SingleFlight(() =>
    resolveTarget(new URL(this.#row.url), this.#services.webhookTargets),
  )
  #validUntil = 0

  constructor(services: ChannelServices, row: WebhookRow, options: ChannelOptions) {
    this.#services = services
    this.#options = options
    this.#row = row
    this.#secrets = decryptSecrets(services.keyring, row)
  }

  /** The webhook was changed. */
  use(row: WebhookRow): void {
    if (row.url !== this.#row.url) this.#validUntil = 0
    this.#row = row
    this.#secrets = decryptSecrets(this.#services.keyring, row)
  }

  /** In the trace of the request that caused the event, if that was traced. */
  send(delivery: Delivery): Promise<Outcome> {
    const span = this.#services.tracer?.follow(spanOf(delivery), delivery.event?.traceparent)
    return during(span, async () => {
      const outcome = await this.#send(delivery, span)
      const { status, failure } = outcome.attempt
      if (span) span.attributes['http.response.status_code'] = status ?? undefined
      if (span && !outcome.isDelivered) span.error = failure ?? String(status)
      return outcome
    })
  }

  async #send(delivery: Delivery, span: Span | undefined): Promise<Outcome> {
    const { url, workspace_id: workspaceId } = this.#row
    const attempt: Attempt = {
      at: this.#options.now(),
      url,
      signature: '',
      status: null,
      failure: null,
      answer: '',
      took_ms: 0,
    }
    const outcome: Outcome = { attempt, isDelivered: false, isGone: false, retryAfter: undefined }
    const { event, eventId } = delivery
    if (event === undefined) {
      attempt.failure = 'event_gone'
      return outcome
    }
    const row = { ...event, id: eventId, seq: delivery.seq, subject_id: delivery.subjectId }
    const body = JSON.stringify(viewOf(workspaceId, row))
    const secrets = this.#secrets(attempt.at)
    const headers = signedHeaders(formatId('evt', eventId), attempt.at, body, secrets)
    attempt.signature = headers['webhook-signature'] ?? ''
    if (span) headers.traceparent = span.traceparent
    try {
      const { target, agent } = await this.#find()
      const { timeoutMs, stop: signal } = this.#options
      const sent = await sendWebhook(target, headers, body, { timeoutMs, agent, signal })
      attempt.status = sent.status ?? null
      attempt.failure = sent.failure ?? null
      // Postgres does not store NUL in text.
      attempt.answer = sent.body.replaceAll('\0', '\uFFFD')
      attempt.took_ms = sent.tookMs
      outcome.isDelivered = isDelivered(sent)
      outcome.isGone = sent.status === GONE
      outcome.retryAfter = sent.retryAfter
    } catch (error) {
      attempt.failure = targetFailureOf(error)
    }
    return outcome
  }

  /** Requests in progress end by themselves. */
  close(): void {
    this.#route?.agent.destroy()
  }

  async #find(): Promise<Route> {
    if (this.#route !== undefined && performance.now() < this.#validUntil) return this.#route
    const target = await this.#resolving.join()
    const before = this.#route
    const isSame =
      before?.target.address === target.address && before.target.url.href === target.url.href
    if (before === undefined || !isSame) {
      // Requests in progress may finish.
      setTimeout(() => before?.agent.destroy(), this.#options.timeoutMs).unref()
      this.#route = { target, agent: keepingAgent(target) }
    }
    this.#validUntil = performance.now() + TARGET_MS
    return this.#route as Route
  }
}
