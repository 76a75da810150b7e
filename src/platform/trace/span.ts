/**
 * Spans: the work of a part of the service for one traced request, and its duration. The span that
 * the present code runs in is found through the asynchronous context, so that a statement or an
 * event needs no parameter for it. Without tracing there is never one, and looking costs
 * nanoseconds.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { takeRandomBytes } from '../lib/random.ts'
import { formatTraceparent } from './trace-context.ts'

export type Attributes = Record<string, string | number | boolean | undefined>

/** As in the protocol (OTLP 1.x, `SpanKind`). */
export const spanKinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const

export interface SpanStart {
  name: string
  kind: keyof typeof spanKinds
  attributes?: Attributes
}

/** The data that the spans of one trace in this process share. */
interface TraceOfProcess {
  /** Called with each span that has ended. */
  take: (span: Span) => void
  /** How many more spans may be recorded: one request can run thousands of statements. */
  room: number
  dropped: number
}

/** Milliseconds since the Unix epoch, with fractions; monotonic within a process. */
const nowMs = (): number => performance.timeOrigin + performance.now()

export class Span {
  readonly traceId: string
  readonly spanId = takeRandomBytes(8).toString('hex')
  readonly parentSpanId: string | undefined
  readonly kind: SpanStart['kind']
  readonly startMs = nowMs()
  readonly attributes: Attributes
  name: string
  endMs: number | undefined
  /** Why it failed, if it did. */
  error: string | undefined
  readonly #trace: TraceOfProcess

  constructor(
    { name, kind, attributes = {} }: SpanStart,
    place: { traceId: string; parentSpanId: string | undefined },
    trace: TraceOfProcess,
  ) {
    this.name = name
    this.kind = kind
    this.attributes = attributes
    this.traceId = place.traceId
    this.parentSpanId = place.parentSpanId
    this.#trace = trace
  }

  /** For what follows from it, here or in another program. */
  get traceparent(): string {
    return formatTraceparent({ traceId: this.traceId, spanId: this.spanId, isSampled: true })
  }

  /** A span within this one, or undefined if the trace has too many. */
  child(start: SpanStart): Span | undefined {
    const trace = this.#trace
    if (this.endMs !== undefined) return undefined
    if (trace.room <= 0) {
      trace.dropped += 1
      return undefined
    }
    trace.room -= 1
    return new Span(start, { traceId: this.traceId, parentSpanId: this.spanId }, trace)
  }

  fail(error: unknown): void {
    const { code, name } = (error ?? {}) as { code?: string; name?: string }
    this.error = code ?? name ?? 'error'
  }

  end(): void {
    if (this.endMs !== undefined) return
    this.endMs = nowMs()
    if (this.#trace.dropped > 0) this.attributes['mooring.spans_dropped'] = this.#trace.dropped
    this.#trace.take(this)
  }
}

const active = new AsyncLocalStorage<Span>()

/** The span that the present code runs in, while it lasts. */
export function activeSpan(): Span | undefined {
  const span = active.getStore()
  return span?.endMs === undefined ? span : undefined
}

/** For an event or a task that follows from the present work; null if it is not traced. */
export const activeTraceparent = (): string | null => activeSpan()?.traceparent ?? null

/** Runs `work` within a span, which somebody else ends. */
export const within = <T>(span: Span, work: () => T): T => active.run(span, work)

/** Runs `work` within a span, and ends that with it. */
export function during<T>(span: Span | undefined, work: () => T): T {
  if (span === undefined) return work()
  const fail = (error: unknown): never => {
    span.fail(error)
    span.end()
    throw error
  }
  try {
    const result = within(span, work)
    if (!(result instanceof Promise)) {
      span.end()
      return result
    }
    const ended = result.then((value: unknown) => {
      span.end()
      return value
    }, fail)
    return ended as T
  } catch (error) {
    return fail(error)
  }
}

/** Runs `work` within a span of the present trace, if there is one. */
export const traced = <T>(start: SpanStart, work: () => T): T =>
  during(activeSpan()?.child(start), work)
