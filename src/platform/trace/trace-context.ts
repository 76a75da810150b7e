/** Trace context between programs: the header `traceparent` (W3C Trace Context, level 1). */

export interface TraceContext {
  /** 32 hex digits. */
  traceId: string
  /** The id of the sender's span: 16 hex digits. */
  spanId: string
  /** Whether the sender records its part of the trace. */
  isSampled: boolean
}

const FORMAT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/
const SAMPLED = 1

/** Undefined if it is missing or not well-formed: then a new trace starts. */
export function readTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== 'string') return undefined
  const [, traceId, spanId, flags] = FORMAT.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
