/** A refused request, as the service explains it (RFC 9457). */
import type { ErrorCode, Problem } from './schema.ts'

/** Seconds, or a date (RFC 9110 section 10.2.3). */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

export class MooringError extends Error {
  override readonly name = 'MooringError'
  readonly status: number
  /** Base decisions on it. `unknown` if the response is not from the service, but from a proxy. */
  readonly code: ErrorCode | 'unknown'
  /** A message for people. */
  readonly detail: string
  /** Members of the request that are invalid. */
  readonly pointers: NonNullable<Problem['errors']>
  /** Identifies the request in the log of the service. */
  readonly traceId: string | undefined
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined
  /** The limit that was reached. */
  readonly limit: Problem['limit']
  /** The setting of the key or device that caused the refusal. */
  readonly rule: string | undefined

  constructor(response: Pick<Response, 'status' | 'headers'>, problem: Partial<Problem>) {
    const detail = problem.detail ?? `status ${response.status}`
    super(detail)
    this.status = response.status
    this.code = (problem.code as ErrorCode | undefined) ?? 'unknown'
    this.detail = detail
    this.pointers = problem.errors ?? []
    this.traceId = problem.trace_id
    this.retryAfter = readRetryAfter(response.headers.get('retry-after'))
    this.limit = problem.limit
    this.rule = problem.rule
  }
}

/** The error of a response that is not a success. */
export async function errorOf(response: Response): Promise<MooringError> {
  const text = await response.text().catch(() => '')
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json')
  try {
    const problem = isProblem ? (JSON.parse(text) as Partial<Problem>) : {}
    return new MooringError(response, problem)
  } catch {
    return new MooringError(response, {})
  }
}
