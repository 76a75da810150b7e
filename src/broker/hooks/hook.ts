/** What a hook is: one question that a kind of broker asks by HTTP, in that broker's own words. */
import type { BrokerEntry } from '../broker-entry.ts'
import type { Soon } from '../../lib/soon.ts'
import type { RemoteAuthority } from '../external-port.ts'
import type { ConnectRequest, Grant } from '../port.ts'

export interface Answer {
  status: number
  type: 'application/json' | 'text/plain'
  body: string
}

/**
 * Why the answer is no. `stranger`: the broker or its secret is not known. `refused`: the question
 * was looked at. The others say that it could not be.
 */
export type Denial = 'stranger' | 'malformed' | 'busy' | 'unavailable' | 'refused'

/** The members of a body that are texts; any other kind of value is as good as not there. */
export type Fields = Readonly<Record<string, unknown>>

export interface HookCall {
  broker: BrokerEntry
  authority: RemoteAuthority
  fields: Fields
  /** The header `vernemq-hook`. */
  hookName: string | undefined
  /** To be told of each CONNECT that is let in, with the request that was decided. */
  admitted(request: ConnectRequest, grant: Grant): void
}

export interface Hook {
  kind: BrokerEntry['kind']
  /** Below `/hooks/{broker}/`. */
  path: string
  form: 'json' | 'form' | 'either'
  /** Bytes of the largest body that is read. */
  bodyLimit: number
  /** Decides; whatever it throws is a denial. */
  decide(call: HookCall): Soon<Answer>
  /** The broker's own word for no, for each reason. */
  deny(reason: Denial): Answer
}

/** Larger than a topic, a client id and a password can be together. */
export const SMALL_BODY = 262_144

/** Statuses for brokers that go by them: only 200 is a yes. */
export const statusOf: Readonly<Record<Denial, number>> = {
  stranger: 401,
  malformed: 400,
  busy: 503,
  unavailable: 503,
  refused: 403,
}

export const json = (status: number, body: string): Answer => ({
  status,
  type: 'application/json',
  body,
})

/** A field, if it is a text. */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Whether a broker's answer that the authority could not be asked differs from a refusal. */
export const denialOf = (reason: string): Denial =>
  reason === 'busy' || reason === 'unavailable' ? reason : 'refused'
