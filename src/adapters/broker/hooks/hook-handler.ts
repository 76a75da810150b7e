/**
 * Answers hook calls. Any failure becomes a denial in the form that the broker expects, never a
 * missing response.
 */
import { withDeadline } from '../../../platform/lib/deadline.ts'
import { LogThrottle } from '../../../platform/lib/log-throttle.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { BrokerEntry, Brokers } from '../broker-entry.ts'
import type { RemoteAuthority } from '../external-port.ts'
import { readForm, readJson } from './bodies.ts'
import { BrokerSecrets } from './broker-secrets.ts'
import {
  type HookResponse,
  type HookRefusal,
  type Fields,
  type Hook,
  type HookCall,
  type HookFault,
  textOf,
} from './hook.ts'
import { type Admission, DecisionCache } from './decision-cache.ts'

export interface BrokerHookOptions {
  /** Each with the hooks that only brokers of this kind may call. */
  kinds: readonly { name: string; hooks: readonly Hook[] }[]
  brokers: Brokers
  authority: RemoteAuthority
  /** Called for undecidable calls, at most once a minute per broker and reason. */
  warn: (message: string, fields: Record<string, unknown>) => void
  /** The fault that a probe login asks for; undefined for all others. */
  faultOf?: (username: string, password: string) => HookFault | undefined
  /** Called when a broker asked about a probe login. */
  onFault?: (broker: string, username: string) => void
  /** Called for each request that is denied without a decision. */
  onDenied?: (broker: string | undefined, reason: HookRefusal) => void
  /** Calls that may await a decision concurrently. */
  undecidedLimit?: number
  /** Milliseconds after which a call is denied. */
  deadlineMs?: number
}

/** One hook call. */
export interface HookRequest {
  hook: Hook
  /** Result of `authenticate`; undefined for an unknown caller, whose body is not read. */
  broker: BrokerEntry | undefined
  contentType: string | undefined
  /** The value of the header that the hook names. */
  header: string | undefined
  /** The caller's IP address. */
  address: string | undefined
  /** Undefined if it is too large. */
  body: Buffer | undefined
}

/** Ten nodes with the brokers' default connection pools. */
const UNDECIDED_LIMIT = 1_000
/** Shorter than the brokers' default timeouts. */
const DEADLINE_MS = 4_000

const warnings: Readonly<Record<HookRefusal, string>> = {
  unknown: 'a hook request came from an unknown broker or with a wrong secret',
  malformed: 'a hook request of a broker could not be parsed',
  busy: 'a hook received too many requests at once',
  unavailable: 'a hook could not decide',
  refused: 'a hook refused',
}

/** Undefined if the body does not parse. */
function readFields({ hook, contentType }: HookRequest, body: Buffer): Fields | undefined {
  const isForm = contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  if (hook.form !== 'either' && isForm !== (hook.form === 'form')) return undefined
  return isForm ? readForm(body) : readJson(body)
}

export class HookHandler {
  readonly #options: BrokerHookOptions
  readonly #secrets: BrokerSecrets
  readonly #remembered: DecisionCache
  readonly #logThrottle = new LogThrottle()
  #undecided = 0

  constructor(options: BrokerHookOptions) {
    this.#options = options
    this.#secrets = new BrokerSecrets(options.brokers)
    this.#remembered = new DecisionCache(options.authority)
  }

  /** The broker of this name and kind, if the secret is right. */
  authenticate(
    kind: string,
    name: string,
    authorization: string | undefined,
  ): BrokerEntry | undefined {
    const broker = this.#secrets.find(name, authorization)
    return broker?.kind === kind ? broker : undefined
  }

  handle(request: HookRequest): MaybePromise<HookResponse | HookFault> {
    try {
      return this.#handle(request)
    } catch {
      return this.#deny(request, 'unavailable')
    }
  }

  #handle(request: HookRequest): MaybePromise<HookResponse | HookFault> {
    const { hook, broker, body, contentType, header } = request
    if (broker === undefined) return this.#deny(request, 'unknown')
    if (body === undefined) return this.#deny(request, 'malformed')
    const key = DecisionCache.keyOf(body, broker.name, hook.path, header, contentType)
    const known = this.#remembered.find(key, broker)
    if (known === undefined) return this.#decide(request, body, broker, key)
    this.#options.authority.admitted(known.request, known.grant, broker.name)
    return known.response
  }

  #decide(
    request: HookRequest,
    body: Buffer,
    broker: BrokerEntry,
    key: string,
  ): MaybePromise<HookResponse | HookFault> {
    const fields = readFields(request, body)
    if (fields === undefined) return this.#deny(request, 'malformed')
    const fault = this.#fault(fields, broker.name)
    if (fault !== undefined) return fault
    const { undecidedLimit = UNDECIDED_LIMIT, deadlineMs = DEADLINE_MS } = this.#options
    if (this.#undecided >= undecidedLimit) return this.#deny(request, 'busy')
    const unable = (): HookResponse => this.#deny(request, 'unavailable')
    const handle = this.#ask(request, fields, broker, key)
    if (!(handle instanceof Promise)) return handle
    this.#undecided += 1
    const decided = handle.catch(unable).finally(() => {
      // Counts until the decision ends, even if late: it still occupies the database.
      this.#undecided -= 1
    })
    return withDeadline(deadlineMs, decided, unable)
  }

  /** Asks the authority, and caches the response to an accepted CONNECT. */
  #ask(
    { hook, header }: HookRequest,
    fields: Fields,
    broker: BrokerEntry,
    key: string,
  ): MaybePromise<HookResponse> {
    const { authority } = this.#options
    let admission: Admission | undefined
    const admitted: HookCall['admitted'] = (request, grant) => {
      authority.admitted(request, grant, broker.name)
      admission = { request, grant }
    }
    const asked = hook.decide({ broker, authority, fields, header, admitted })
    return andThen(asked, (handle) => {
      if (admission !== undefined) this.#remembered.add(key, broker, admission, handle)
      return handle
    })
  }

  #fault(fields: Fields, broker: string): HookFault | undefined {
    const username = textOf(fields, 'username')
    const password = textOf(fields, 'password')
    if (!username || !password) return undefined
    const fault = this.#options.faultOf?.(username, password)
    if (fault !== undefined) this.#options.onFault?.(broker, username)
    return fault
  }

  /** The broker's form of a denial; staff see reasons that are not the client's fault. */
  #deny({ hook, broker, address }: HookRequest, reason: HookRefusal): HookResponse {
    this.#options.onDenied?.(broker?.name, reason)
    if (this.#logThrottle.isDue(`${broker?.name} ${reason}`)) {
      this.#options.warn(warnings[reason], { broker: broker?.name, hook: hook.path, address })
    }
    return hook.deny(reason)
  }
}
