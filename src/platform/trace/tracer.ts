/**
 * Decides which traces are recorded. A caller chooses its trace id, and may ask for a trace;
 * neither decides alone, or anybody could fill the collector. See docs/decisions/0101-traces.md.
 */
import { Networks } from '../lib/networks.ts'
import { takeRandomBytes } from '../lib/random.ts'
import { Span, type SpanStart } from './span.ts'
import { readTraceparent, type TraceContext } from './trace-context.ts'

export interface TracerOptions {
  /** The part of all requests that is traced, from 0 to 1. */
  ratio: number
  /** The most traces that start in a second, also of those that callers ask for. */
  perSecond: number
  /** Addresses and networks (CIDR) of callers that may ask for a trace. */
  trusted: readonly string[]
  /** Called with each span that has ended. */
  take: (span: Span) => void
  random?: () => number
  /** Milliseconds, monotonic. */
  now?: () => number
}

/** Spans of one trace in one process. */
const MAX_SPANS = 256

export class Tracer {
  readonly #options: TracerOptions
  readonly #trusted: Networks
  readonly #random: () => number
  readonly #now: () => number
  /** Traces that may still start now. */
  #points: number
  #countedAt: number

  constructor(options: TracerOptions) {
    this.#options = options
    this.#trusted = new Networks(options.trusted)
    this.#random = options.random ?? Math.random
    this.#now = options.now ?? (() => performance.now())
    this.#points = options.perSecond
    this.#countedAt = this.#now()
  }

  /**
   * Starts the trace of a request, or this service's part of it.
   * @param traceId the one that the caller gets in a problem and that the log has
   * @param caller what it sent, and from which address
   */
  request(
    start: SpanStart,
    traceId: string,
    caller: { context: TraceContext | undefined; address: string },
  ): Span | undefined {
    const isTrusted = caller.context !== undefined && this.#trusted.has(caller.address)
    const isAsked = isTrusted && caller.context?.isSampled === true
    if (!isAsked && this.#random() >= this.#options.ratio) return undefined
    if (!this.#takePoint()) return undefined
    // Nobody would find the parent of an unknown caller in the operator's collector.
    return this.#open(start, traceId, isTrusted ? caller.context?.spanId : undefined)
  }

  /** Starts a trace of something that nobody sent. */
  root(start: SpanStart): Span | undefined {
    if (this.#random() >= this.#options.ratio || !this.#takePoint()) return undefined
    return this.#open(start, takeRandomBytes(16).toString('hex'), undefined)
  }

  /**
   * Continues a trace that this service has recorded, perhaps in another process.
   * @param traceparent as it was stored with what follows from that
   */
  follow(start: SpanStart, traceparent: string | null | undefined): Span | undefined {
    const context = readTraceparent(traceparent)
    return context && this.#open(start, context.traceId, context.spanId)
  }

  #open(start: SpanStart, traceId: string, parentSpanId: string | undefined): Span {
    const { take } = this.#options
    return new Span(start, { traceId, parentSpanId }, { take, room: MAX_SPANS, dropped: 0 })
  }

  #takePoint(): boolean {
    const { perSecond } = this.#options
    const now = this.#now()
    const earned = ((now - this.#countedAt) / 1_000) * perSecond
    this.#points = Math.min(perSecond, this.#points + earned)
    this.#countedAt = now
    if (this.#points < 1) return false
    this.#points -= 1
    return true
  }
}
