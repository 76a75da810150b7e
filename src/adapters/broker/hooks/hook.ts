/** A hook: one request of a kind of broker over HTTP, in that broker's protocol. */
import type { BrokerEntry } from '../broker-entry.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { RemoteAuthority } from '../external-port.ts'
import type { ConnectRequest, Grant } from '../port.ts'

/** A deliberately invalid response to a login that probes what a broker does when hooks fail. */
export type HookFault = 'hang' | 'error' | 'empty' | 'garbage' | 'drop'

export interface HookResponse {
  status: number
  type: 'application/json' | 'text/plain'
  body: string
}

/**
 * Why the hook refuses. `unknown`: unknown broker or secret. `refused`: the request was
 * evaluated and denied. The others: it could not be evaluated.
 */
export type HookRefusal = 'unknown' | 'malformed' | 'busy' | 'unavailable' | 'refused'

/** Body members; only those that are text are used. */
export type Fields = Readonly<Record<string, unknown>>

export interface HookCall {
  broker: BrokerEntry
  authority: RemoteAuthority
  fields: Fields
  /** The value of the header that the hook names. */
  header: string | undefined
  /** Called for each accepted CONNECT. */
  admitted(request: ConnectRequest, grant: Grant): void
}

export interface Hook {
  /** Below `/hooks/{broker}/`. */
  path: string
  /** Name of a request header, in lower case, that the response depends on. */
  header?: string
  /** Whether the broker may only look at the status, and takes any 200 as permission. */
  allowsByStatus?: boolean
  form: 'json' | 'form' | 'either'
  /** Maximum body size in bytes. */
  bodyLimit: number
  /** Decides; anything thrown is a denial. */
  decide(call: HookCall): MaybePromise<HookResponse>
  /** The broker's form of a denial, by reason. */
  deny(reason: HookRefusal): HookResponse
}

/** Exceeds topic, client id and password together. */
export const SMALL_BODY = 262_144

/** Statuses for brokers that only look at them: only 200 allows. */
export const statusOf: Readonly<Record<HookRefusal, number>> = {
  unknown: 401,
  malformed: 400,
  busy: 503,
  unavailable: 503,
  refused: 403,
}

export const json = (status: number, body: string): HookResponse => ({
  status,
  type: 'application/json',
  body,
})

/** A member, if it is text. */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Distinguishes refusals from requests that the authority could not decide. */
export const refusalOf = (reason: string): HookRefusal =>
  reason === 'busy' || reason === 'unavailable' ? reason : 'refused'
