/** Decides each CONNECT: asks the authority, checks the grant, and takes over an old session. */
import type { Client } from 'aedes'
import { addressBlocks } from '../../../platform/lib/address-block.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { BrokerAuthority, ConnectDecision, ConnectRequest, Grant, Refusal } from '../port.ts'
import { compiledOnce, type CompiledRules } from '../topics.ts'
import { mayPublishMessage } from './authorization.ts'
import { sessionName } from './client-id.ts'
import type { Will } from './internals.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { Refused } from './reason-codes.ts'
import { TokenBucket, TokenBuckets } from './token-bucket.ts'
import type { BrokerLog } from './log.ts'
import { whenGone, type Connection, type RecentDisconnects, type Registry } from './registry.ts'

export interface ConnectAttempt {
  client: Client
  request: ConnectRequest
  will: Will | undefined
}

export interface AdmissionParts {
  authority: BrokerAuthority
  limits: EmbeddedBrokerLimits
  registry: Registry
  disconnects: RecentDisconnects
  log: BrokerLog
  /** Ends the session whose name another connection takes over. */
  takeOver: (owner: Connection) => void
}

/** How often a decision may be outdated by a disconnect before the client has to reconnect. */
const DECISION_TRIES = 3

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

  /** @returns the accepted connection, a refusal, or undefined if the client has disconnected */
  admit(attempt: ConnectAttempt): MaybePromise<Connection | Refused | undefined> {
    const blocks = addressBlocks(attempt.request.address)
    const arrived = blocks.every(({ name, budget }) => this.#arrivals.take(name, budget))
    if (!arrived) return { refusal: 'too_often' }
    // A client in a long queue gives up before its CONNECT is decided.
    if (this.#undecided >= this.#parts.limits.undecidedConnects) return { refusal: 'busy' }
    return andThen(this.#decide(attempt.request), (decision) => this.#enter(attempt, decision))
  }

  #enter(
    attempt: ConnectAttempt,
    decision: ConnectDecision,
  ): MaybePromise<Connection | Refused | undefined> {
    if (attempt.client.closed) return undefined
    if (!decision.accepted) return { ...decision, refusal: decision.reason }
    const connection = this.#examine(attempt, decision.grant)
    if (typeof connection === 'string') return { refusal: connection }
    this.#parts.registry.add(connection)
    const owner = this.#parts.registry.claimName(connection)
    return owner === undefined ? connection : this.#enterAfter(attempt, connection, owner)
  }

  /** The other session may take a while to end, so the CONNECT is decided again afterwards. */
  async #enterAfter(
    attempt: ConnectAttempt,
    connection: Connection,
    owner: Connection,
  ): Promise<Connection | Refused | undefined> {
    const isLost = (): boolean => attempt.client.closed || connection.ending !== undefined
    await this.#takeOver(connection, owner)
    if (isLost()) return undefined
    const decision = await this.#decide(attempt.request)
    if (isLost()) return undefined
    if (!decision.accepted) return { ...decision, refusal: decision.reason }
    const present = this.#examine(attempt, decision.grant)
    if (typeof present === 'string') return { refusal: present }
    if (present.name !== connection.name) return { refusal: 'unavailable' }
    connection.session.grant = present.session.grant
    connection.rules = present.rules
    return connection
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
  #examine(attempt: ConnectAttempt, grant: Grant): Connection | Refusal {
    const { limits, registry, log } = this.#parts
    const { clientId, username, password } = attempt.request
    if (clientId === '' || Buffer.byteLength(clientId) > limits.clientIdBytes) {
      return 'client_id_invalid'
    }
    if (username === undefined || username === '') return 'bad_credentials'
    if (password === undefined || password.length === 0) return 'bad_credentials'
    try {
      const connection = newConnection(attempt, grant, compiledOnce(grant.rules))
      const { will, rules } = connection
      if (will !== undefined) {
        const tooDeep = will.topic.split('/').length > limits.topicLevels
        const allowed = mayPublishMessage(rules, will.topic, will.properties?.responseTopic)
        if (tooDeep || !allowed) return 'not_authorized'
      }
      const others =
        registry.countOf(grant.principalId) - (registry.isHeld(connection.name) ? 1 : 0)
      if (others >= limits.sessionsPerPrincipal) return 'busy'
      return connection
    } catch (error) {
      log.error({ err: error, principalId: grant.principalId }, 'A grant is malformed.')
      return 'unavailable'
    }
  }

  /** Waits until no other session has the name: one ends before the next one opens. */
  async #takeOver(connection: Connection, first: Connection): Promise<void> {
    const { registry, takeOver } = this.#parts
    let owner: Connection | undefined = first
    while (owner !== undefined) {
      takeOver(owner)
      await whenGone(owner)
      if (connection.client.closed || connection.ending !== undefined) return
      owner = registry.claimName(connection)
    }
  }
}

let lastIncarnation = 0

/** Microseconds since the Unix epoch, strictly increasing. */
function nextIncarnation(): number {
  lastIncarnation = Math.max(Date.now() * 1000, lastIncarnation + 1)
  return lastIncarnation
}

function newConnection(attempt: ConnectAttempt, grant: Grant, rules: CompiledRules): Connection {
  const { client, request, will } = attempt
  const { clientId, address, protocolVersion, transport, hosts } = request
  return {
    client,
    name: sessionName(grant, clientId),
    session: {
      sessionId: newUuid(),
      incarnation: nextIncarnation(),
      grant,
      clientId,
      address,
      protocolVersion,
      transport,
      hosts,
      connectedAt: Date.now(),
    },
    rules,
    will,
    filters: new Map(),
    registered: false,
    unregistered: false,
    socketClosed: false,
    ending: undefined,
    gone: false,
    waiting: undefined,
  }
}
