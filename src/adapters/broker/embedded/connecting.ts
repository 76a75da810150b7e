/**
 * Answers each CONNECT: asks the authority, checks the grant, takes over an old session, opens the
 * new one, and sends the CONNACK.
 */
import { addressBlocks } from '../../../platform/lib/address-block.ts'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { andThen, type MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type {
  BrokerAuthority,
  ConnectDecision,
  ConnectRequest,
  Grant,
  Refusal,
  Session,
} from '../port.ts'
import { type CompiledRules, compiledOnce, mayPublish, mayReceive } from '../topics.ts'
import type { Client, MqttSession } from './client.ts'
import { sessionName } from './client-id.ts'
import type { Deliveries } from './delivery.ts'
import type { Durability } from './durability.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import { PAUSE } from './link.ts'
import type { BrokerLog } from './log.ts'
import type { PendingConnections } from './pending-connections.ts'
import type { Refused } from './reason-codes.ts'
import type { RecentDisconnects } from './recent-disconnects.ts'
import type { RetainedMessages } from './retained-messages.ts'
import type { Sessions } from './sessions.ts'
import { TokenBucket, TokenBuckets } from './token-bucket.ts'
import type { Wheel } from './wheel.ts'
import { type ConnectPacket, readConnect, VersionError, type Will } from './codec/packets.ts'
import type { Reader } from './codec/reader.ts'
import {
  connackPacket,
  failedConnackPacket,
  OLD_VERSION_CONNACK,
  refusalPacket,
} from './codec/writer.ts'

export interface ConnectingParts {
  authority: BrokerAuthority
  limits: EmbeddedBrokerLimits
  log: BrokerLog
  wheel: Wheel
  sessions: Sessions
  retained: RetainedMessages
  disconnects: RecentDisconnects
  deliveries: Deliveries
  durability: Durability
  lifecycle: Lifecycle
  pendingConnections: PendingConnections
}

/** A CONNECT that waits for its CONNACK. */
interface Attempt {
  client: Client
  packet: ConnectPacket
  request: ConnectRequest
}

/** The rights of an accepted client, and the name of its session. */
interface Admitted {
  name: string
  grant: Grant
  rules: CompiledRules
}

/**
 * How often a disconnect or new rules may outdate a decision before the client has to reconnect.
 * One operation, such as an approval, may outdate it several times.
 */
const DECISION_TRIES = 10

/** Addresses whose rate of CONNECTs is remembered. */
const ADDRESSES = 10_000
/** Capacity of an address's token bucket, in seconds of its rate. */
const BURST_SECONDS = 10

/** If MQTT's own keepalive is longer, TCP keepalive detects peers that vanished. */
const LONGEST_SILENCE_SECONDS = 600

/** A session ends after one and a half times its keepalive without a packet ([MQTT-3.1.2-22]). */
const SILENCE_MS_PER_SECOND = 1_500

/** How long a refused client may take to read its CONNACK before its socket is destroyed. */
export const REFUSAL_MS = 1_000

const BAD_AUTHENTICATION_METHOD = 0x8c
const PACKET_TOO_LARGE = 0x95

const UNAVAILABLE: ConnectDecision = { accepted: false, reason: 'unavailable' }

const isOutdated = (
  disconnects: RecentDisconnects,
  since: number,
  decision: ConnectDecision,
): boolean =>
  decision.accepted && disconnects.isDisconnectedSince(since, decision.grant.principalId)

let lastIncarnation = 0

/** Microseconds since the Unix epoch, strictly increasing. */
function nextIncarnation(): number {
  lastIncarnation = Math.max(Date.now() * 1000, lastIncarnation + 1)
  return lastIncarnation
}

const portSession = (grant: Grant, request: ConnectRequest): Session => ({
  sessionId: newUuid(),
  incarnation: nextIncarnation(),
  grant,
  clientId: request.clientId,
  address: request.address,
  protocolVersion: request.protocolVersion,
  transport: request.transport,
  hosts: request.hosts,
  connectedAt: Date.now(),
})

export class Connecting {
  #parts: ConnectingParts
  #arrivals: TokenBuckets
  #undecided = 0

  constructor(parts: ConnectingParts) {
    this.#parts = parts
    const perSecond = parts.limits.connectsPerSecondPerAddress
    this.#arrivals = new TokenBuckets(
      ADDRESSES,
      (budget) => new TokenBucket(perSecond * budget, perSecond * budget * BURST_SECONDS),
    )
  }

  /** Answers the CONNECT that the reader holds. */
  take(client: Client, reader: Reader): void {
    client.hasAsked = true
    try {
      this.#connect(client, readConnect(reader))
    } catch (error) {
      if (!(error instanceof VersionError)) throw error
      client.finish(OLD_VERSION_CONNACK, REFUSAL_MS)
    }
  }

  #connect(client: Client, packet: ConnectPacket): void {
    client.introduce(packet)
    const { clientId, username, password, protocolVersion, properties } = packet
    if (properties.authenticationMethod !== undefined) {
      return client.finish(failedConnackPacket(BAD_AUTHENTICATION_METHOD), REFUSAL_MS)
    }
    if (this.#parts.durability.isLost) {
      const refused = refusalPacket('unavailable', protocolVersion, undefined, client.wishes)
      return client.finish(refused, REFUSAL_MS)
    }
    if (!client.takesConnack) {
      return client.finish(failedConnackPacket(PACKET_TOO_LARGE), REFUSAL_MS)
    }
    const { address, transport } = client
    const peer = { address, transport, hosts: client.stream.hosts }
    const request = { clientId, username, password, protocolVersion, ...peer }
    const attempt = { client, packet, request }
    const result = this.#admit(attempt)
    if (!(result instanceof Promise)) return this.#answer(attempt, result)
    client.pause(PAUSE.deciding)
    client.endNever()
    const late = result.then((admitted) => this.#answer(attempt, admitted))
    late.catch((error: unknown) => {
      this.#parts.log.error({ err: error }, 'A CONNECT could not be answered.')
      client.stream.destroy()
    })
  }

  /** @returns the grant, a refusal, or undefined if the client has disconnected */
  #admit(attempt: Attempt): MaybePromise<Admitted | Refused | undefined> {
    const blocks = addressBlocks(attempt.request.address)
    const arrived = blocks.every(({ name, budget }) => this.#arrivals.take(name, budget))
    if (!arrived) return { reason: 'too_often' }
    // A client in a long queue gives up before its CONNECT is decided.
    if (this.#undecided >= this.#parts.limits.undecidedConnects) return { reason: 'busy' }
    return this.#decideOn(attempt)
  }

  /** Decides on a CONNECT, again after a takeover: the end of the other session may matter. */
  #decideOn(attempt: Attempt): MaybePromise<Admitted | Refused | undefined> {
    return andThen(this.#decide(attempt.request), (decision) => {
      if (attempt.client.isClosed) return undefined
      if (!decision.accepted) return decision
      const admitted = this.#examine(attempt, decision.grant)
      if (typeof admitted === 'string') return { reason: admitted }
      const present = this.#parts.sessions.get(admitted.name)?.client
      if (present === undefined) return admitted
      void this.#parts.lifecycle.end(present, 'taken_over')
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
    const { decisionTimeoutMs } = this.#parts.limits
    return withDeadline(decisionTimeoutMs, Promise.resolve(decision), () => UNAVAILABLE)
  }

  /** Checks an accepted client against the broker's own rules, whatever the authority checked. */
  #examine({ request, packet }: Attempt, grant: Grant): Admitted | Refusal {
    const { limits, log } = this.#parts
    const { clientId, username, password } = request
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
      if (!this.#mayLeave(packet.will, admitted.rules)) return 'not_authorized'
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

  #answer(attempt: Attempt, result: Admitted | Refused | undefined): void {
    const { client, packet, request } = attempt
    if (result === undefined || client.isClosed) return void client.stream.destroy()
    const { limits, durability, lifecycle, deliveries, pendingConnections } = this.#parts
    if ('reason' in result) {
      const { reason, explanation } = result
      lifecycle.refused(request, result)
      const { protocolVersion } = packet
      const refused = refusalPacket(reason, protocolVersion, explanation, client.wishes)
      return client.finish(refused, REFUSAL_MS)
    }
    const { writes } = durability
    const { session, isResumed } = this.#open(attempt, result)
    client.isHeld = durability.writes !== writes
    const isShort = packet.keepalive > 0 && packet.keepalive <= limits.keepAliveSeconds
    const keepalive = isShort ? packet.keepalive : limits.keepAliveSeconds
    if (keepalive > LONGEST_SILENCE_SECONDS) {
      client.stream.setKeepAlive(true, LONGEST_SILENCE_SECONDS * 1000)
    }
    pendingConnections.leave(client.stream)
    client.stream.admitted?.()
    client.accepted(session, keepalive * SILENCE_MS_PER_SECOND)
    client.send(this.#connack(client, packet, isResumed, isShort ? undefined : keepalive))
    this.#opened(session)
    if (client.isHeld) durability.after(() => this.#letGo(client))
    else deliveries.pump(client)
    client.resume(PAUSE.deciding)
  }

  /**
   * Opens a session for an accepted client, or resumes its stored session.
   * @returns the session, and whether it was resumed
   */
  #open(
    { client, packet, request }: Attempt,
    { name, grant, rules }: Admitted,
  ): { session: MqttSession; isResumed: boolean } {
    const { sessions, wheel, retained, limits, durability, deliveries, lifecycle } = this.#parts
    let session = sessions.get(name)
    if (session !== undefined && packet.clean) {
      lifecycle.endStored(session, true)
      session = undefined
    }
    const isResumed = session !== undefined
    const info = portSession(grant, request)
    session ??= lifecycle.create(name, info, rules)
    const asked = packet.protocolVersion === 5 ? packet.properties.sessionExpiry : undefined
    const kept = packet.protocolVersion === 5 || packet.clean ? 0 : limits.sessionExpirySeconds
    session.expirySeconds = Math.min(asked ?? kept, limits.sessionExpirySeconds)
    session.info = info
    session.client = client
    session.will = packet.will
    session.willAt = 0
    session.endsAt = 0
    session.leftAt = 0
    wheel.remove(session)
    sessions.cameBack(session)
    if (session.rules !== rules) lifecycle.narrow(session, rules)
    retained.handOver(grant)
    durability.adopt(session, () => deliveries.resume(session))
    return { session, isResumed }
  }

  /** Reports an accepted session, and the subscriptions that it resumed with, to the authority. */
  #opened(session: MqttSession): void {
    const { info } = session
    const { lifecycle } = this.#parts
    lifecycle.notify((authority) => authority.sessionOpened(info))
    const filters = [...(session.subscriptions?.keys() ?? [])]
    if (filters.length > 0) lifecycle.notify((authority) => authority.subscribed(info, filters))
  }

  /** Sends the output of a client, since the changes of its CONNECT are stored now. */
  #letGo(client: Client): void {
    client.letGo()
    this.#parts.deliveries.pump(client)
  }

  #connack(
    { isVersion5, session }: Client,
    { properties }: ConnectPacket,
    isResumed: boolean,
    serverKeepAlive: number | undefined,
  ): Buffer {
    if (!isVersion5) return connackPacket(isResumed, undefined)
    const { inboundInFlightPerSession, topicAliasesPerSession, packetBytes } = this.#parts.limits
    const expiry = session?.expirySeconds ?? 0
    return connackPacket(isResumed, {
      serverKeepAlive,
      sessionExpiry: expiry === (properties.sessionExpiry ?? 0) ? undefined : expiry,
      receiveMaximum: inboundInFlightPerSession,
      topicAliasMaximum: topicAliasesPerSession,
      maximumPacketSize: packetBytes,
    })
  }
}
