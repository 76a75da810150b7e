/** Converts anything thrown into an RFC 9457 problem. Internals are never exposed. */
import { FRESH_PROOF_SECONDS } from '../access/fresh-proof.ts'
import { catalogue, Failure, type FailureCode, type FailureOptions } from '../errors/errors.ts'
import { limitHeaders } from './limit-headers.ts'

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: FailureCode
  /** Same as `detail`: deployed firmware logs `code` and `message`. */
  message: string
  trace_id: string
  errors?: { pointer: string; message: string }[]
  limit?: FailureOptions['limit']
  /** The setting that caused the refusal. */
  rule?: string
}

/** Errors of Fastify and Node, by code. */
const FRAMEWORK: Readonly<Record<string, FailureCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_ASYNC_CONSTRAINT: 'not_found',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'request_header_too_large',
  ECONNRESET: 'invalid_request',
  // This process or its machine has no file descriptor left.
  EMFILE: 'unavailable',
  ENFILE: 'unavailable',
  // Postgres refuses text that its encoding cannot represent; anything else was validated before.
  '22021': 'invalid_request',
  '22P05': 'invalid_request',
}

/** Sentences for those whose code says too little. */
const DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The path is not well-formed percent-encoded UTF-8.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from Content-Length.',
}

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const { code } = (error ?? {}) as { code?: string }
  const known = code === undefined ? undefined : FRAMEWORK[code]
  const detail = code === undefined ? undefined : DETAILS[code]
  return new Failure(known ?? 'internal_error', {
    cause: error,
    ...(known === 'unavailable' && { retryAfterSeconds: 1 }),
    ...(detail !== undefined && { detail }),
  })
}

export interface ProblemContext {
  origin: string
  /** The request path without its query, which may contain secrets. */
  path: string
  traceId: string
}

export function toProblem(failure: Failure, context: ProblemContext): Problem {
  const { errors, limit, rule } = failure.options
  const { title } = catalogue[failure.code]
  return {
    type: `${context.origin}/api/v1/errors/${failure.code}`,
    title,
    status: failure.status,
    detail: failure.message,
    instance: context.path,
    code: failure.code,
    message: failure.message,
    trace_id: context.traceId,
    ...(errors && { errors }),
    ...(limit && { limit }),
    ...(rule !== undefined && { rule }),
  }
}

/** The members of a 429 about the limit that is used up. */
function limitHeadersOf(failure: Failure): Record<string, string> {
  const { limit, windowSeconds, retryAfterSeconds = 1 } = failure.options
  if (failure.status !== 429 || limit === undefined) return {}
  const { name, value, reset_seconds: resetSeconds = retryAfterSeconds } = limit
  const policy = { points: value, seconds: windowSeconds }
  return limitHeaders({ name, limit: policy, remaining: 0, resetSeconds })
}

/** Response headers that a failure implies, in any operation. */
export function failureHeaders(failure: Failure): Record<string, string> {
  const { retryAfterSeconds, allow } = failure.options
  return {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...limitHeadersOf(failure),
    ...(retryAfterSeconds !== undefined && {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
    }),
    ...(allow && { allow: allow.join(', ') }),
    // RFC 9470 section 3. The gate and rules refuse so; other challenges depend on the operation.
    ...(failure.code === 'fresh_authentication_required' && {
      'www-authenticate': `Bearer realm="mooring", error="insufficient_user_authentication", max_age=${FRESH_PROOF_SECONDS}`,
    }),
  }
}
