/**
 * The seam between the service and a broker. `Broker` is what the service asks of a broker;
 * `BrokerAuthority` is what a broker asks of the service. Adapters know this file and topics.ts.
 */
import type { Explanation, TrafficMeter } from './traffic-meter.ts'

/** One rule of a grant. Rules are tried in order, the first match decides, and no match denies. */
export interface TopicRule {
  action: 'publish' | 'subscribe' | 'pubsub'
  /** A topic filter with every variable already filled in. */
  topic: string
  permission: 'allow' | 'deny'
}

/** What carries the packets of a connection. */
export type Transport = 'tcp' | 'tls' | 'ws' | 'wss'

export interface ConnectRequest {
  clientId: string
  username: string | undefined
  password: Buffer | undefined
  /** The peer's IP address, without a port. */
  address: string
  /** 3 = MQTT 3.1, 4 = MQTT 3.1.1, 5 = MQTT 5. */
  protocolVersion: number
  /** Undefined where it is not known. */
  transport?: Transport | undefined
  /** What the client has named by SNI, or as `Host` of a WebSocket; none where it is not known. */
  hosts?: readonly string[] | undefined
  /** The broker elsewhere that asks, and the client id that the session is to have there. */
  elsewhere?: { broker: string; clientId: string } | undefined
}

/** The whole authorization of one credential, compiled once at CONNECT. */
export interface Grant {
  /** The id of who connects, as callers see it (`dev_…`, `mqp_…`). Unique across all workspaces. */
  principalId: string
  /** The workspace's id, as callers see it (`ws_…`). */
  workspaceId: string
  /** Which of the principal's secrets was shown; greater is newer. */
  credentialVersion: number
  /** The levels that the principal's own topics begin with, without a slash at the end. */
  topicPrefix: string
  /** Whether the principal was never connected before, as far as is known. */
  isFirst: boolean
  /** Milliseconds since the Unix epoch at which its sessions end; null: never. */
  expiresAt: number | null
  /** False: its messages are sent on, but not kept, since what it speaks to may change hands. */
  mayRetain?: boolean | undefined
  /** What its sessions count on; undefined: they are not counted. */
  meter?: TrafficMeter | undefined
  rules: readonly TopicRule[]
}

/** Why a CONNECT is refused. Adapters translate it to their protocol's reason code. */
export type Refusal =
  | 'bad_credentials'
  | 'client_id_invalid'
  | 'not_authorized'
  | 'banned'
  | 'quota_exceeded'
  | 'busy'
  | 'unavailable'

export type ConnectDecision =
  | { accepted: true; grant: Grant }
  | { accepted: false; reason: Refusal; explanation?: Explanation | undefined }

export interface Session {
  /** Unique for each accepted connection, never reused. */
  sessionId: string
  /** Orders the connections of one principal: the greater one is the later one. */
  incarnation: number
  /** Another one, with other rules, after a `regrant`. */
  grant: Grant
  clientId: string
  address: string
  protocolVersion: number
  transport?: Transport | undefined
  /** Milliseconds since the Unix epoch. */
  connectedAt: number
}

export interface Message {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  retain: boolean
}

/**
 * Why the service ends a live session. Who is `not_authorized` any more leaves nothing behind: no
 * will is published for it, and the messages it had retained are gone. An `administrative` end
 * (a new secret, a kick) lets the will be published and keeps what was retained.
 */
export type CutReason = 'administrative' | 'not_authorized'

/** Why a session is over: its client or the network ended it, or the broker did. */
export type SessionEnd =
  | 'client'
  | CutReason
  | 'taken_over'
  | 'too_slow'
  | 'in_flight_exceeded'
  | 'keepalive_timeout'
  | 'malformed'
  | 'stopping'

export interface BrokerAuthority {
  /** Decides one CONNECT, at once from memory; what it can't decide is `unavailable`, no throw. */
  connect(request: ConnectRequest): ConnectDecision | Promise<ConnectDecision>
  /** Told of each CONNECT that is refused, also by the broker itself, with the same request. */
  refused(request: ConnectRequest, reason: Refusal): void
  /**
   * Told as the CONNACK is sent. Calls for one session come in order: opened, subscribed and
   * published…, closed; only a will that its client asked to delay (MQTT 5) may be told as
   * published after that.
   */
  sessionOpened(session: Session): void
  sessionClosed(session: Session, end: SessionEnd): void
  /**
   * Told of the filters that a session has just been granted, or has brought along from before:
   * from now on messages reach it.
   */
  subscribed(session: Session, filters: readonly string[]): void
  /** Told of each message that a session was allowed to publish, after the broker took it. */
  published(session: Session, message: Message): void
  /** Told of each refused publish or subscribe. */
  denied(session: Session, action: 'publish' | 'subscribe', topic: string): void
}

/**
 * What a broker elsewhere asks by its hooks. Nobody tells of the ends of its sessions, and what a
 * client may is asked again whenever the broker wants to know.
 */
export interface RemoteAuthority extends Pick<BrokerAuthority, 'connect' | 'refused'> {
  /**
   * What somebody who is connected may now, without their secret: from memory, else by one read. It
   * never throws, and it marks nothing as connected.
   */
  authorize(username: string, clientId: string): Promise<ConnectDecision>
  /**
   * Whether who got this grant would get the very same now for the same request, as far as memory
   * alone tells.
   */
  stillGives(grant: Grant): boolean
  /** Told of each CONNECT that the broker was told to let in, with the request that was decided. */
  admitted(request: ConnectRequest, grant: Grant, broker: string): void
}

export interface Broker {
  start(): Promise<void>
  /** Ends every session and stops listening; resolves when the port is free. */
  stop(): Promise<void>
  /** Publishes as the service itself, past every rule. */
  publish(message: Message): Promise<void>
  /**
   * Cuts every live session of a principal and forgets its stored ones, so that nothing queued is
   * delivered later; with `sessionIds` only those that are still live, and what is stored under
   * their client ids, while what the principal retained is kept. A CONNECT that is being decided is
   * decided anew in either case. Resolves with the number cut, once their sockets are closed.
   */
  disconnect(
    principalId: string,
    reason: CutReason,
    sessionIds?: readonly string[],
  ): Promise<number>
  /**
   * Gives a principal other rules, at once and without cutting anything: its live sessions, the
   * CONNECTs that are being decided, and what is kept for it while it is away. What it may not
   * publish any more is refused; what it may not receive any more is not delivered, though it was
   * subscribed to, or queued, before; what it may do now, it may do in the session that it has.
   * Throws on malformed rules. Resolves with the number of live sessions, once nothing let through
   * before is on its way to a socket.
   */
  regrant(principalId: string, rules: readonly TopicRule[]): Promise<number>
  /** Live sessions, of one principal or all. */
  connections(principalId?: string): Session[]
}

/** Since when a secret is confirmed, by `performance.now()`, and by which client id, if there. */
export interface NewerSecret {
  since: number
  clientId?: string | undefined
}

/** Where a principal may hold sessions: this process's embedded broker, or one of the file. */
export interface RevokeTarget {
  /** `embedded/<node id>` or the broker's name in the brokers file. */
  readonly name: string
  /** Seconds within which a revoke is seen to have taken effect. */
  readonly boundSeconds: number
  /** Forgets decisions that are cached there about the principal. */
  purge(principalId: string): Promise<void>
  /**
   * Ends its sessions; with `newer`, which brokers elsewhere are told of, only those that may have
   * begun with an older secret. @returns how many.
   */
  cut(principalId: string, reason: CutReason, newer?: NewerSecret): Promise<number>
  /** Whether the session is gone from the broker's own list, and a probe would be refused. */
  verify(principalId: string): Promise<boolean>
}

/** A live session as an external broker tells of it. What a broker doesn't tell is undefined. */
export interface BrokerConnection {
  /** The user name that it connected with. */
  principalId: string
  clientId: string
  /** The peer's IP address, without a port. */
  address?: string | undefined
  /** As in `ConnectRequest`. */
  protocolVersion?: number | undefined
  /** Milliseconds since the Unix epoch. */
  connectedAt?: number | undefined
  /** The node of a cluster that holds it. */
  node?: string | undefined
}

/** What the admin side of a broker has to know of the service. */
export interface ExternalBrokerOptions {
  /** The broker's name in the brokers file. */
  name: string
  url: string
  username: string
  password: string
  /** PEM of the authority to trust, where it is not one of the system's. */
  ca?: string | undefined
  timeoutMs?: number
  /** What a principal may now, without its secret; `bad_credentials` if there is none such. */
  authorize(username: string, clientId: string): Promise<ConnectDecision>
}

/** The admin side of a broker that is not ours: what the service asks of it. */
export interface ExternalBroker extends RevokeTarget {
  /** Begins to connect, where a connection is held; an absent broker fails the calls, not this. */
  start(): void
  stop(): Promise<void>
  /** Live sessions, of one principal or all. */
  connections(principalId?: string): Promise<BrokerConnection[]>
  /** How long a live session may be missing among all of them, in milliseconds; else it is not. */
  readonly listLagMs?: number
  /** Whether a principal has a live session. */
  holds(principalId: string): Promise<boolean>
  /**
   * Where live sessions are judged by rules that the broker is told: brings those of one principal,
   * or of all, to what they are now, and ends no session.
   */
  regrant?(principalId?: string): Promise<void>
}
