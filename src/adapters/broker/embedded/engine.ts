/** One run of the embedded broker, from start to stop: aedes with the hooks of this adapter. */
import { Aedes, type Client, type ConnectPacket } from 'aedes'
import type { BrokerAuthority, ConnectRequest, TopicRule, Transport } from '../port.ts'
import { compiledOnce } from '../topics.ts'
import { Admission } from './admission.ts'
import { Authorization } from './authorization.ts'
import { addressOf, PendingConnections, type ByteStream } from './pending-connections.ts'
import { LocalEmitter } from './emitter.ts'
import { awaitConnect, dropConnect, openBroker, type AedesInternals } from './internals.ts'
import { Lifecycle } from './lifecycle.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { BrokerLog } from './log.ts'
import { guardPackets } from './packet-guard.ts'
import { MemoryPersistence } from './persistence.ts'
import { refusalPacket } from './refusal-packets.ts'
import { isOpen, RecentDisconnects, Registry } from './registry.ts'

export interface EngineParts {
  authority: BrokerAuthority
  limits: EmbeddedBrokerLimits
  log: BrokerLog
}

/** If MQTT's own keepalive is longer, TCP keepalive detects peers that vanished. */
const LONGEST_SILENCE_SECONDS = 600

/** How long a refused client may take to read its CONNACK before its socket is destroyed. */
const REFUSAL_MS = 1_000

/** The CONNECT of a client, until it is decided. */
const asked = Symbol('CONNECT')
type Asking = Client & { [asked]?: ConnectPacket | undefined }

type AuthenticateDone = (error: null, success: boolean) => void
type Admitted = Awaited<ReturnType<Admission['admit']>>

interface Decided {
  packet: ConnectPacket
  request: ConnectRequest
  result: Admitted
}

export class Engine {
  readonly registry = new Registry()
  readonly disconnects = new RecentDisconnects()
  readonly persistence: MemoryPersistence
  readonly lifecycle: Lifecycle
  readonly aedes: AedesInternals
  readonly streams = new Map<ByteStream, Transport>()
  #pendingConnections: PendingConnections
  #admission: Admission
  #limits: EmbeddedBrokerLimits
  #log: BrokerLog

  constructor({ authority, limits, log }: EngineParts) {
    const { registry, disconnects } = this
    this.#limits = limits
    this.#log = log
    this.#pendingConnections = new PendingConnections(limits)
    const persistence = new MemoryPersistence(limits, {
      grantedTo: (client) => registry.ofClient(client as Client),
      evicted: (name) => this.lifecycle.endStored(name, true),
    })
    const lifecycle = new Lifecycle({ authority, registry, persistence, log })
    const takeOver = (owner: Parameters<Lifecycle['end']>[0]): void => {
      void lifecycle.end(owner, 'taken_over')
    }
    this.#admission = new Admission({ authority, limits, registry, disconnects, log, takeOver })
    const hooks = new Authorization({ authority, limits, registry, persistence, lifecycle })
    this.persistence = persistence
    this.lifecycle = lifecycle
    this.aedes = openBroker(this.#createAedes(limits, hooks))
    lifecycle.attach(this.aedes)
  }

  #createAedes(limits: EmbeddedBrokerLimits, hooks: Authorization): Aedes {
    const aedes = new Aedes({
      mq: new LocalEmitter(),
      persistence: this.persistence,
      // It would only limit the emitter that isn't used, and zero lifts a bound on listeners.
      concurrency: 0,
      connectTimeout: limits.connectTimeoutMs,
      drainTimeout: limits.unsentTimeoutMs,
      maximumPacketSize: limits.packetBytes,
      maxTopicLevels: limits.topicLevels,
      maxClientsIdLength: limits.clientIdBytes,
      receiveMaximum: limits.inboundInFlightPerSession,
      sessionExpiryIntervalLimit: limits.sessionExpirySeconds,
      pendingSessionsLimit: limits.storedSessions,
      topicAliasMaximum: 0,
      keepaliveLimit: limits.keepAliveSeconds,
      preConnect: (client, packet, done) => {
        // MQTT 5 clients are sent the shorter keepalive. Older clients would be refused by aedes,
        // with a return code that does not exist; for them it applies silently.
        const { protocolVersion = 4, keepalive = 0 } = packet
        const tooLong = keepalive === 0 || keepalive > limits.keepAliveSeconds
        if (protocolVersion < 5 && tooLong) packet.keepalive = limits.keepAliveSeconds
        ;(client as Asking)[asked] = packet
        done(null, true)
      },
      authenticate: (client, username, password, done) =>
        this.#authenticate(client, username, password, done),
      authorizePublish: hooks.authorizePublish,
      authorizeSubscribe: hooks.authorizeSubscribe,
      authorizeForward: hooks.authorizeForward,
      published: hooks.published,
    })
    aedes.on(
      'error' as 'closed',
      ((error: Error) => {
        this.#log.error({ err: error }, 'The embedded broker could not finish a task.')
      }) as () => void,
    )
    return aedes
  }

  /** Most CONNECTs are decided from memory, before another packet is processed. */
  #authenticate(
    client: Client,
    username: string | undefined,
    password: Buffer | undefined,
    done: AuthenticateDone,
  ): void {
    const packet = (client as Asking)[asked]
    if (packet === undefined) return client.close()
    ;(client as Asking)[asked] = undefined
    const fail = (error: unknown): void => {
      this.#log.error({ err: error }, 'A CONNECT could not be handled.')
      client.close()
    }
    try {
      const { clientId, protocolVersion = 4, will } = packet
      const stream = client.conn as ByteStream
      const peer = {
        address: addressOf(stream),
        transport: this.streams.get(stream),
        hosts: stream.hosts,
      }
      const request = { clientId, username, password, protocolVersion, ...peer }
      const result = this.#admission.admit({ client, request, will })
      const sendDecision = (admitted: Admitted): void =>
        this.#sendDecision(client, { packet, request, result: admitted }, done)
      if (result instanceof Promise) result.then(sendDecision).catch(fail)
      else sendDecision(result)
    } catch (error) {
      fail(error)
    }
  }

  #sendDecision(
    client: Client,
    { packet, request, result }: Decided,
    done: AuthenticateDone,
  ): void {
    const { protocolVersion = 4, keepalive = 0, properties } = packet
    if (result === undefined) return client.close()
    if ('refusal' in result) {
      const { refusal, explanation } = result
      this.lifecycle.refused(request, result)
      return refuse(client, refusalPacket(refusal, protocolVersion, explanation, properties))
    }
    client.id = result.name
    dropConnect(client)
    const allowed = this.#limits.keepAliveSeconds
    const applied = keepalive === 0 || keepalive > allowed ? allowed : keepalive
    const stream = client.conn as ByteStream
    if (applied > LONGEST_SILENCE_SECONDS) stream.setKeepAlive(true, LONGEST_SILENCE_SECONDS * 1000)
    this.#pendingConnections.leave(stream)
    stream.admitted?.()
    done(null, true)
  }

  /** Replaces a principal's rules, in live and stored sessions. */
  regrant(principalId: string, rules: readonly TopicRule[]): number {
    const compiled = compiledOnce(rules)
    this.disconnects.note(principalId)
    const connections = this.registry.ofPrincipal(principalId)
    for (const connection of connections) {
      connection.rules = compiled
      connection.session.grant = { ...connection.session.grant, rules }
    }
    this.lifecycle.regrantWills(principalId, compiled)
    const { sessions } = this.persistence
    for (const name of sessions.namesOf(principalId)) sessions.regrant(name, compiled)
    return connections.filter(isOpen).length
  }

  /** Takes a connection that was just accepted. */
  accept(stream: ByteStream, transport: Transport): void {
    stream.on('error', ignore)
    if (!this.#pendingConnections.enter(stream, addressOf(stream))) {
      stream.destroy()
      return
    }
    this.streams.set(stream, transport)
    const client = this.aedes.handle(stream)
    guardPackets(client, this.#limits)
    awaitConnect(client, this.#limits.connectTimeoutMs)
    stream.once('close', () => {
      this.streams.delete(stream)
      this.#pendingConnections.leave(stream)
      this.lifecycle.socketClosed(client)
    })
  }
}

function ignore(): void {}

/** Sends the whole refusal, then closes: closing with unread input at once would lose it. */
function refuse(client: Client, packet: Buffer): void {
  const { conn } = client
  conn.removeAllListeners('readable')
  conn.end(packet)
  conn.resume()
  setTimeout(() => client.close(), REFUSAL_MS).unref()
}
