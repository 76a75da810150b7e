/** Parses an authority's renewal information (RFC 9773 section 4). */
import type { RenewalWindow } from './port.ts'

const MIN_RETRY_S = 60
const MAX_RETRY_S = 86_400
/** The RFC's recommendation if the authority gives no interval. */
const USUAL_RETRY_S = 21_600

function retryOf(header: unknown, now: number): number {
  if (typeof header !== 'string') return USUAL_RETRY_S
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1_000
  if (Number.isNaN(seconds)) return USUAL_RETRY_S
  return Math.min(Math.max(seconds, MIN_RETRY_S), MAX_RETRY_S)
}

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN)

/** @returns undefined for a response that is malformed or makes no sense */
export function readRenewalInfo(
  answer: { data: unknown; retryAfter: unknown },
  now: number,
): RenewalWindow | undefined {
  const { suggestedWindow } = (answer.data ?? {}) as { suggestedWindow?: unknown }
  const { start, end } = (suggestedWindow ?? {}) as { start?: unknown; end?: unknown }
  const [from, to] = [timeOf(start), timeOf(end)]
  if (!(from < to)) return undefined
  return { start: from, end: to, retryAfterSeconds: retryOf(answer.retryAfter, now) }
}
