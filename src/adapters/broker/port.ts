/**
 * The port between the service and MQTT brokers. `Broker` is what the service calls on a broker;
 * `BrokerAuthority` is what a broker calls on the service. Adapters depend only on this file and
 * topics.ts.
 */
import type { Explanation, TrafficMeter } from './traffic-meter.ts'

/**
 * One topic rule of a grant. Rules are tried in order; the first match decides; no match denies.
 */
export interface TopicRule {
  action: 'publish' | 'subscribe' | 'pubsub'
  /** A topic filter with all variables substituted. */
  topic: string
  permission: 'allow' | 'deny'
}

/** The transport of a connection. */
export type Transport = 'tcp' | 'tls' | 'ws' | 'wss'

export interface ConnectRequest {
  clientId: string
  username: string | undefined
  password: Buffer | undefined
  /** The peer's IP address, without a port. */
  address: string
  /** 3 = MQTT 3.1, 4 = MQTT 3.1.1, 5 = MQTT 5. */
  protocolVersion: number
  /** Undefined if unknown. */
  transport?: Transport | undefined
  /**
   * Host names that the client asked for by SNI, or in the `Host` header of a WebSocket; empty if
   * unknown.
   */
  hosts?: readonly string[] | undefined
  /**
   * Set if an external broker asks: its name, and the client id that the session will have there.
   */
  external?: { broker: string; clientId: string } | undefined
}

/** The facts that a grant was decided on. Brokers keep them with the grant and never read them. */
export interface GrantBasis {
  /** Sequence of the change feed before anything was read. */
  since: number
  /** The credential whose secret was presented. */
  credential: {
    readonly kind: 'device' | 'principal' | 'phone'
    /** UUID. */
    readonly id: string
    /** The public id. */
    readonly name: string
    /** UUID. */
    readonly workspaceId: string
    /** UUIDs of the rows that it was read from: a change of any of them may change it. */
    readonly refs: readonly string[]
    /** Whether it has never connected before, to the best of our knowledge. */
    isFirst: boolean
  }
  /** The presented secret: when it expires, in milliseconds since the epoch; null: never. */
  secret: { readonly expiresAt: number | null }
}

/** Everything one credential is authorized to do, compiled once at CONNECT. */
export interface Grant {
  /** Public id of the client (`dev_…`, `mqp_…`). Unique across all workspaces. */
  principalId: string
  /** Public id of the workspace (`ws_…`). */
  workspaceId: string
  /** The version of the principal's secret that was presented; a greater version is newer. */
  credentialVersion: number
  /** The topic levels that the principal's own topics start with, without a trailing slash. */
  topicPrefix: string
  /** Whether the principal has never connected before, to the best of our knowledge. */
  isFirst: boolean
  /** When its sessions end, in milliseconds since the Unix epoch; null: never. */
  expiresAt: number | null
  /**
   * If false, its messages are delivered but not retained, because the receiving device may change
   * hands.
   */
  mayRetain?: boolean | undefined
  /** Counts the traffic of its sessions; undefined if they are not metered. */
  meter?: TrafficMeter | undefined
  rules: readonly TopicRule[]
  /** Set if it was issued for a CONNECT. */
  basis?: GrantBasis | undefined
}

/** Why a CONNECT is refused. Adapters map it to the reason code of their protocol. */
export type Refusal =
  | 'bad_credentials'
  | 'client_id_invalid'
  | 'not_authorized'
  | 'banned'
  | 'quota_exceeded'
  | 'busy'
  | 'unavailable'

export interface ConnectRefusal {
  reason: Refusal
  /** The exact cause, for the connection log; the client does not receive it. */
  detail?: string | undefined
  /** For the client. */
  explanation?: Explanation | undefined
}

export type ConnectDecision =
  | { accepted: true; grant: Grant }
  | ({ accepted: false } & ConnectRefusal)

export interface Session {
  /** Unique for each accepted connection; never reused. */
  sessionId: string
  /** Orders the connections of one principal: the greater one is later. */
  incarnation: number
  /** Replaced by `regrant`, which changes its rules. */
  grant: Grant
  clientId: string
  address: string
  protocolVersion: number
  transport?: Transport | undefined
  /** As in `ConnectRequest`. */
  hosts?: readonly string[] | undefined
  /** Milliseconds since the Unix epoch. */
  connectedAt: number
}

export interface Message {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  retain: boolean
  /** The public id of its workspace, if the service publishes it. */
  workspaceId?: string | undefined
}

/**
 * Why the service ends a live session. `not_authorized` leaves nothing behind: its will is not
 * published and its retained messages are deleted. `administrative` (a new secret, a kick)
 * publishes the will and keeps retained messages.
 */
export type DisconnectReason = 'administrative' | 'not_authorized'

/** Why a session ended: by its client, the network or the broker. */
export type SessionEnd =
  | 'client'
  | DisconnectReason
  | 'taken_over'
  | 'too_slow'
  | 'in_flight_exceeded'
  | 'keepalive_timeout'
  | 'malformed'
  | 'stopping'

/** The reports of a broker. */
export interface BrokerEvents {
  /** Called for each refused CONNECT, including those that the broker itself refuses. */
  refused(request: ConnectRequest, refusal: ConnectRefusal): void
  /**
   * Called when the CONNACK is sent. Calls for one session come in order: opened, then subscribed
   * and published, then closed. Reported as published after that may be: a delayed will (MQTT 5),
   * and what a client sent together with its CONNECT and its DISCONNECT.
   */
  sessionOpened(session: Session): void
  sessionClosed(session: Session, end: SessionEnd): void
  /**
   * Called with the filters that were just granted to a session, or that it resumed with. From now
   * on it receives messages.
   */
  subscribed(session: Session, filters: readonly string[]): void
  /** Called for each authorized message of a session, after the broker has accepted it. */
  published(session: Session, message: Message): void
  /**
   * Called for each refused publish or subscribe. The service does not need it; the contract tests
   * of brokers count refusals by it, since a PUBLISH with QoS 0 has no response.
   */
  denied?(session: Session, action: 'publish' | 'subscribe', topic: string): void
}

export interface BrokerAuthority extends BrokerEvents {
  /**
   * Decides one CONNECT, synchronously if the data is in memory. Never throws: if no decision is
   * possible, the reason is `unavailable`.
   */
  connect(request: ConnectRequest): ConnectDecision | Promise<ConnectDecision>
}

export interface Broker {
  start(authority: BrokerAuthority): Promise<void>
  /** Ends every session and stops listening; resolves when the port is free. */
  stop(): Promise<void>
  /** Publishes as the service itself, bypassing topic rules. */
  publish(message: Message): Promise<void>
  /**
   * Disconnects every live session of a principal and deletes its stored sessions, so that nothing
   * queued is delivered later. With `sessionIds`, only those sessions that are still live, and what
   * is stored under their client ids; the principal's retained messages are kept. In both cases a
   * CONNECT in progress is decided again. Resolves with the number of sessions disconnected, once
   * their sockets are closed.
   */
  disconnect(
    principalId: string,
    reason: DisconnectReason,
    sessionIds?: readonly string[],
  ): Promise<number>
  /**
   * Replaces a principal's rules immediately, without disconnecting it: in its live sessions, in
   * CONNECTs in progress, and in what is stored while it is offline. A message that it may no
   * longer publish is refused; one that it may no longer receive is not delivered, even if already
   * subscribed or queued; new rights apply to the current session. Throws on malformed rules.
   * Resolves with the number of live sessions, once no message allowed by the old rules is on its
   * way to a socket.
   */
  regrant(principalId: string, rules: readonly TopicRule[]): Promise<number>
  /** Live sessions, of one principal or of all. */
  connections(principalId?: string): Session[]
}
