/** Decides each CONNECT: asks the authority, checks the grant, and takes over an old session. */
import { addressBlocks } from '../../../platform/lib/address-block.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { BrokerAuthority, ConnectDecision, ConnectRequest, Grant, Refusal } from '../port.ts'
import { type CompiledRules, compiledOnce, mayPublish, mayReceive } from '../topics.ts'
import { sessionName } from './client-id.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { Refused } from './reason-codes.ts'
import { TokenBucket, TokenBuckets } from './token-bucket.ts'
import type { BrokerLog } from './log.ts'
import type { RecentDisconnects } from './recent-disconnects.ts'
import type { MqttSession } from './client.ts'
import type { Sessions } from './sessions.ts'
import type { Will } from './wire/packets.ts'

export interface ConnectAttempt {
  client: { readonly isClosed: boolean }
  request: ConnectRequest
  will: Will | undefined
}

export interface AdmissionParts {
  authority: BrokerAuthority
  limits: EmbeddedBrokerLimits
  sessions: Sessions
  disconnects: RecentDisconnects
  log: BrokerLog
  /** Ends the connection of a session that another one takes over. */
  takeOver: (session: MqttSession) => void
}

/** What an accepted client may, and the name of its session. */
export interface Admitted {
  name: string
  grant: Grant
  rules: CompiledRules
}

/**
 * How often a decision may be outdated by a disconnect or new rules before the client has to
 * reconnect. One act, such as an approval, may do so several times.
 */
const DECISION_TRIES = 10

/** Addresses whose rate of CONNECTs is remembered. */
const ADDRESSES = 10_000
/** Capacity of an address's token bucket, in seconds of its rate. */
const BURST_SECONDS = 10

const UNAVAILABLE: ConnectDecision = { accepted: false, reason: 'unavailable' }

const isOutdated = (
  disconnects: RecentDisconnects,
  since: number,
  decision: ConnectDecision,
): boolean =>
  decision.accepted && disconnects.isDisconnectedSince(since, decision.grant.principalId)

export class Admission {
  #parts: AdmissionParts
  #arrivals: TokenBuckets
  #undecided = 0

  constructor(parts: AdmissionParts) {
    this.#parts = parts
    const perSecond = parts.limits.connectsPerSecondPerAddress
    this.#arrivals = new TokenBuckets(
      ADDRESSES,
      (budget) => new TokenBucket(perSecond * budget, perSecond * budget * BURST_SECONDS),
    )
  }

  /** @returns what was granted, a refusal, or undefined if the client has disconnected */
  admit(attempt: ConnectAttempt): MaybePromise<Admitted | Refused | undefined> {
    const blocks = addressBlocks(attempt.request.address)
    const arrived = blocks.every(({ name, budget }) => this.#arrivals.take(name, budget))
    if (!arrived) return { refusal: 'too_often' }
    // A client in a long queue gives up before its CONNECT is decided.
    if (this.#undecided >= this.#parts.limits.undecidedConnects) return { refusal: 'busy' }
    return this.#decideOn(attempt)
  }

  /** What ends for it may have changed the decision, so it is decided again after a takeover. */
  #decideOn(attempt: ConnectAttempt): MaybePromise<Admitted | Refused | undefined> {
    return andThen(this.#decide(attempt.request), (decision) => {
      if (attempt.client.isClosed) return undefined
      if (!decision.accepted) return { ...decision, refusal: decision.reason }
      const admitted = this.#examine(attempt, decision.grant)
      if (typeof admitted === 'string') return { refusal: admitted }
      const present = this.#parts.sessions.get(admitted.name)
      if (present?.client === undefined) return admitted
      this.#parts.takeOver(present)
      return this.#decideOn(attempt)
    })
  }

  /** A synchronous decision cannot be outdated by a disconnect and needs no timeout. */
  #decide(request: ConnectRequest): MaybePromise<ConnectDecision> {
    const begun = this.#parts.disconnects.begin()
    const first = this.#ask(request)
    if (first instanceof Promise) return this.#decideLater(request, begun, first)
    this.#parts.disconnects.end()
    return first
  }

  /** Asks again if the principal was disconnected during the decision. */
  async #decideLater(
    request: ConnectRequest,
    begun: number,
    first: Promise<ConnectDecision>,
  ): Promise<ConnectDecision> {
    const { disconnects } = this.#parts
    this.#undecided += 1
    try {
      let decision = await this.#inTime(first)
      let since = begun
      for (let tries = 1; isOutdated(disconnects, since, decision); tries += 1) {
        if (tries === DECISION_TRIES) return UNAVAILABLE
        since = disconnects.serial
        decision = await this.#inTime(this.#ask(request))
      }
      return decision
    } finally {
      this.#undecided -= 1
      disconnects.end()
    }
  }

  /** Errors of the authority are logged here. */
  #ask(request: ConnectRequest): MaybePromise<ConnectDecision> {
    const fail = (error: unknown): ConnectDecision => {
      this.#parts.log.error({ err: error }, 'A CONNECT could not be decided.')
      return UNAVAILABLE
    }
    try {
      const decision = this.#parts.authority.connect(request)
      return decision instanceof Promise ? decision.catch(fail) : decision
    } catch (error) {
      return fail(error)
    }
  }

  #inTime(decision: MaybePromise<ConnectDecision>): Promise<ConnectDecision> {
    return new Promise((resolve) => {
      const { decisionTimeoutMs } = this.#parts.limits
      const timer = setTimeout(resolve, decisionTimeoutMs, UNAVAILABLE).unref()
      void andThen(decision, (made) => {
        clearTimeout(timer)
        resolve(made)
      })
    })
  }

  /** Checks what the authority cannot check, or must not be relied on to check. */
  #examine(attempt: ConnectAttempt, grant: Grant): Admitted | Refusal {
    const { limits, log } = this.#parts
    const { clientId, username, password } = attempt.request
    if (clientId === '' || Buffer.byteLength(clientId) > limits.clientIdBytes) {
      return 'client_id_invalid'
    }
    if (username === undefined || username === '') return 'bad_credentials'
    if (password === undefined || password.length === 0) return 'bad_credentials'
    try {
      const admitted = {
        name: sessionName(grant, clientId),
        grant,
        rules: compiledOnce(grant.rules),
      }
      if (!this.#mayLeave(attempt.will, admitted.rules)) return 'not_authorized'
      return this.#hasRoom(admitted) ? admitted : 'busy'
    } catch (error) {
      log.error({ err: error, principalId: grant.principalId }, 'A grant is malformed.')
      return 'unavailable'
    }
  }

  #mayLeave(will: Will | undefined, rules: CompiledRules): boolean {
    if (will === undefined) return true
    const { topic, responseTopic } = will.message
    const tooDeep = topic.split('/').length > this.#parts.limits.topicLevels
    if (tooDeep || !mayPublish(rules, topic)) return false
    return responseTopic === undefined || mayReceive(rules, responseTopic)
  }

  #hasRoom({ name, grant }: Admitted): boolean {
    const { sessions, limits } = this.#parts
    const isHeld = sessions.get(name)?.client !== undefined
    return sessions.liveOf(grant.principalId) - (isHeld ? 1 : 0) < limits.sessionsPerPrincipal
  }
}
