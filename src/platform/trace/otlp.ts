/** Spans as JSON of OTLP 1.x (`ExportTraceServiceRequest`), and their way to a collector. */
import { withDeadline } from '../lib/deadline.ts'
import { SingleFlight } from '../lib/single-flight.ts'
import { type Attributes, type Span, spanKinds } from './span.ts'

type Value =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean }

const valueOf = (value: string | number | boolean): Value => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  )

/** A 64-bit number as text: it exceeds what a double holds exactly. */
const nanosOf = (ms: number): string => {
  const whole = Math.floor(ms)
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6)))
}

const ERROR = 2

const spanOf = (span: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: spanKinds[span.kind],
  startTimeUnixNano: nanosOf(span.startMs),
  endTimeUnixNano: nanosOf(span.endMs ?? span.startMs),
  attributes: attributesOf({
    ...span.attributes,
    ...(span.error !== undefined && { 'error.type': span.error }),
  }),
  status: span.error === undefined ? {} : { code: ERROR },
})

/** The body of one request. @param resource the attributes of this process */
const encodeSpans = (spans: readonly Span[], resource: Attributes): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'mooring' }, spans: spans.map(spanOf) }],
      },
    ],
  })

export interface ExporterOptions {
  /** Base URL of the collector; `/v1/traces` is appended. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  resource: Attributes
  /** Called when the collector did not take spans. */
  warn: (message: string, error: unknown) => void
}

const BATCH = 512
/** While the collector is away, further spans are dropped. */
const MAX_QUEUED = 4_096
const PAUSE_MS = 2_000
const REQUEST_MS = 5_000
/** For what is left when the process stops. */
const LAST_MS = 2_000
/** The statuses after which the specification of OTLP/HTTP permits another try. */
const RETRYABLE = new Set([429, 502, 503, 504])

export class OtlpExporter {
  /** Spans since the start. */
  readonly counts = { sent: 0, dropped: 0 }
  readonly #options: ExporterOptions
  readonly #url: string
  readonly #timer: NodeJS.Timeout
  #queue: Span[] = []
  /** One request at a time. Never rejects: traces must not disturb what they are about. */
  readonly #flushes = new SingleFlight(() =>
    this.#sendAll().catch((error: unknown) =>
      this.#options.warn('traces could not be sent', error),
    ),
  )

  constructor(options: ExporterOptions) {
    this.#options = options
    const base = options.endpoint.endsWith('/') ? options.endpoint : `${options.endpoint}/`
    this.#url = new URL('v1/traces', base).href
    this.#timer = setInterval(() => void this.#flushes.join(), PAUSE_MS).unref()
  }

  readonly take = (span: Span): void => {
    if (this.#queue.length >= MAX_QUEUED) {
      this.counts.dropped += 1
      return
    }
    this.#queue.push(span)
    if (this.#queue.length === BATCH) void this.#flushes.join()
  }

  /** Sends what is left, once, and does not wait long for it. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await withDeadline(LAST_MS, this.#flushes.joinNext(), () => {})
    this.counts.dropped += this.#queue.length
    this.#queue = []
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, BATCH)
      const { headers, resource } = this.#options
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: encodeSpans(batch, resource),
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_MS),
      })
      await response.body?.cancel()
      // Kept for the next time, as they are if the collector cannot be reached.
      if (RETRYABLE.has(response.status))
        throw new Error(`the collector is busy: ${response.status}`)
      this.#queue.splice(0, batch.length)
      if (!response.ok) {
        this.counts.dropped += batch.length
        throw new Error(`the collector refused them: ${response.status}`)
      }
      this.counts.sent += batch.length
    }
  }
}
