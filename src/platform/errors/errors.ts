/**
 * The failure catalogue: every way to refuse a request, as data. Rules throw `Failure`;
 * http/failures.ts turns it into an RFC 9457 problem; docs/errors.md is generated from here. A code
 * never changes its meaning. `sentence` is shown unless the rule gives a more specific `detail`.
 */
import type { CatalogueEntry } from './entry.ts'
import { access } from './access.ts'
import { certificates } from './certificates.ts'
import { domains } from './domains.ts'
import { billing } from './billing.ts'
import { events } from './events.ts'
import { fleet } from './fleet.ts'
import { mqtt } from './mqtt.ts'
import { requests } from './requests.ts'
import { resources } from './resources.ts'

export type { CatalogueEntry } from './entry.ts'

export const catalogue = {
  ...requests,
  ...access,
  ...resources,
  ...fleet,
  ...mqtt,
  ...events,
  ...domains,
  ...billing,
  ...certificates,
} as const satisfies Record<string, CatalogueEntry>

export type FailureCode = keyof typeof catalogue

export interface FieldError {
  /** RFC 6901 pointer into the body, or `/query/<name>`, `/path/<name>`, `/header/<name>`. */
  pointer: string
  message: string
}

export interface FailureOptions {
  /** Replaces the catalogue's sentence; shown to the caller. */
  detail?: string
  errors?: FieldError[]
  /** Seconds for `Retry-After`. */
  retryAfterSeconds?: number
  /**
   * The limit behind a 413, 409 or 429: its name, value, current use, and seconds until it resets.
   */
  limit?: { name: string; value: number; use?: number; reset_seconds?: number }
  /** Seconds in which the limit counts, for `RateLimit-Policy`. */
  windowSeconds?: number
  /** The setting that caused the refusal, by the name under which it can be changed. */
  rule?: string
  /** The resource of the refused request, by its public id; for the audit log only. */
  resource?: { kind: string; id: string }
  /** Methods for `Allow`. */
  allow?: string[]
  /** For the log; never shown to the caller. */
  cause?: unknown
}

/** The only way for a rule to refuse. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly status: number
  readonly options: FailureOptions

  constructor(code: FailureCode, options: FailureOptions = {}) {
    super(options.detail ?? catalogue[code].sentence, { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.status = catalogue[code].status
    this.options = options
  }
}

export type NotFound = Extract<FailureCode, `${string}_not_found`>

/** The row of a resource, or of the caller. @throws Failure `code` if there is none */
export function found<Row>(row: Row | undefined, code: NotFound | 'credential_rejected'): Row {
  if (row === undefined) throw new Failure(code)
  return row
}

/**
 * The refusal of one more.
 * @param what in words, for the caller
 * @param owner subject and verb of the sentence for the caller
 * @param resetSeconds until there is room again, if that is known
 */
export function limitReached(
  name: string,
  max: number,
  what: string,
  owner = 'A workspace has',
  resetSeconds?: number,
): Failure {
  const resets = resetSeconds !== undefined && { reset_seconds: resetSeconds }
  const detail = `${owner} at most ${max} ${what}.`
  return new Failure('limit_reached', { detail, limit: { name, value: max, ...resets } })
}

/** Continues if there is room for one more. @throws Failure limit_reached */
export function withinLimit(
  count: number,
  name: string,
  max: number,
  what: string,
  owner?: string,
): void {
  if (count >= max) throw limitReached(name, max, what, owner)
}

/** The refusal of a repeated request whose stored response nobody can read any more. */
export const undecryptableResponse = (): Failure =>
  new Failure('idempotency_key_reused', {
    detail:
      'The response to this Idempotency-Key can no longer be decrypted. The request took effect.',
  })

/** A limit that is used up, as every 429 names it. */
export interface UsedUp {
  name: string
  value: number
  use?: number
  /** Until the next attempt may succeed. */
  resetSeconds: number
  /** Unset if the limit is not one of a rate. */
  windowSeconds?: number
}

/** The only way to refuse with 429: the response names the limit, its value and its reset. */
export function limited(
  code: 'rate_limited' | 'too_many_attempts' | 'too_many_streams' | 'plan_limit_reached',
  { name, value, use, resetSeconds, windowSeconds }: UsedUp,
  options: Pick<FailureOptions, 'detail' | 'rule'> = {},
): Failure {
  const seconds = Math.max(1, Math.ceil(resetSeconds))
  return new Failure(code, {
    ...options,
    retryAfterSeconds: seconds,
    limit: { name, value, ...(use !== undefined && { use }), reset_seconds: seconds },
    ...(windowSeconds !== undefined && { windowSeconds }),
  })
}

/** A 400 that points at one member of the body. */
export const invalid = (pointer: string, message: string): Failure =>
  new Failure('invalid_request', {
    detail: `${pointer} ${message}.`,
    errors: [{ pointer, message }],
  })

/**
 * Optimistic concurrency (RFC 9110 section 13.1.1): continues only if the caller has seen the
 * current revision. Undefined: any revision will do.
 * @throws Failure precondition_failed
 */
export function requireRevision(present: number, ifMatch: readonly number[] | undefined): void {
  if (ifMatch === undefined || ifMatch.includes(present)) return
  const detail = 'If-Match contains no ETag of this service: send one unchanged, with its quotes.'
  throw new Failure('precondition_failed', ifMatch.length === 0 ? { detail } : {})
}
