/**
 * The failure catalogue: every way in which a request can be refused, as data. Rules throw
 * `Failure`; http/failures.ts turns it into an RFC 9457 problem; docs/errors.md is made from here.
 * A code never changes its meaning. `sentence` is what callers read when nothing better is known.
 */
import type { CatalogueEntry } from './errors/entry.ts'
import { access } from './errors/access.ts'
import { certificates } from './errors/certificates.ts'
import { domains } from './errors/domains.ts'
import { billing } from './errors/billing.ts'
import { events } from './errors/events.ts'
import { fleet } from './errors/fleet.ts'
import { mqtt } from './errors/mqtt.ts'
import { requests } from './errors/requests.ts'
import { resources } from './errors/resources.ts'

export type { CatalogueEntry } from './errors/entry.ts'

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
  /** Replaces the catalogue's sentence; it is shown to the caller. */
  detail?: string
  errors?: FieldError[]
  /** Seconds for `Retry-After`. */
  retryAfterSeconds?: number
  /**
   * Named limit of a 413, 409 or 429: what it is called, its value, how much of it is used, and
   * when it is free again.
   */
  limit?: { name: string; value: number; use?: number; reset_seconds?: number }
  /** The setting that refuses, by the name that it has where it can be changed. */
  rule?: string
  /** Methods for `Allow`. */
  allow?: string[]
  /** Kept for the log, never shown. */
  cause?: unknown
}

/** The only way in which a rule refuses. */
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

/** A 400 that points at one member. */
export const invalid = (pointer: string, message: string): Failure =>
  new Failure('invalid_request', {
    detail: `${pointer} ${message}.`,
    errors: [{ pointer, message }],
  })

/**
 * Optimistic concurrency (RFC 9110 section 13.1.1): the change goes on only from a revision that
 * the caller has seen. Undefined: the caller doesn't mind.
 * @throws Failure precondition_failed
 */
export function demandRevision(present: number, ifMatch: readonly number[] | undefined): void {
  if (ifMatch !== undefined && !ifMatch.includes(present)) throw new Failure('precondition_failed')
}
