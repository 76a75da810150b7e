/**
 * The services that every operation can use, as types; app.ts provides them. Features import this
 * file; it imports only inner layers.
 */
import type { Caller, KnownCaller } from './platform/access/principal.ts'
import type { TokenIssuer } from './platform/access/jwt.ts'
import type { Keyring } from './platform/access/keyring.ts'
import type { PasswordHasher } from './platform/access/passwords.ts'
import type { Brokers } from './adapters/broker/broker-entry.ts'
import type { Broker } from './adapters/broker/port.ts'
import type { ChangeFeed } from './platform/database/change-feed.ts'
import type { Db, PointReader } from './platform/database/connect.ts'
import type { DnsResolver } from './adapters/dns/resolver.ts'
import type { Actor, Origin } from './platform/record/event.ts'
import {
  operationGroupOf,
  operationOf,
  type RequestContext,
  type RequestInfo,
} from './platform/http/operation.ts'
import { streamOperationOf } from './platform/http/stream-operation.ts'
import type { RateLimits } from './platform/http/rate-limit.ts'
import { formatId } from './platform/lib/ids.ts'
import type { Clock } from './platform/lib/clock.ts'
import type { PaymentProvider } from './adapters/payment-provider/port.ts'

/** The endpoint that devices receive. */
export interface MqttEndpoint {
  host: string
  port: number
  tls: boolean
}

/** A broker from the clients' point of view. */
export interface MqttBroker {
  /** `embedded`, or its name in the brokers file. */
  name: string
  kind: string
  /** Seconds within which a revocation provably takes effect; undefined if nothing shows that. */
  boundSeconds: number | undefined
  /** Whether it keeps passwords itself, and so does not ask the service about a CONNECT. */
  keepsPasswords: boolean
  endpoints: readonly {
    protocol: 'mqtt' | 'mqtts' | 'ws' | 'wss'
    host: string
    port: number
    /** For WebSockets. */
    path?: string | undefined
  }[]
}

/**
 * External brokers that store clients' passwords themselves. A password can only be passed on at
 * the moment it is issued, since we keep nothing but its hash. Without such brokers, this does
 * nothing.
 */
export interface PasswordSync {
  /**
   * Whether there is such a broker: new secrets are then written in one transaction with `issued`.
   */
  isNeeded(): boolean
  /**
   * Passes new passwords on after the commit, in the background, retrying until it succeeds, even
   * across crashes. Takes public ids.
   */
  issued(
    db: Db,
    workspaceId: string,
    passwords: readonly { principalId: string; password: string }[],
  ): Promise<void>
  /**
   * Replaces a password whose predecessor must stop working when the change commits; call it in
   * that transaction. Throws `unavailable` if a broker cannot be reached.
   */
  replace(
    db: Db,
    workspaceId: string,
    issued: { principalId: string; password: string },
  ): Promise<void>
}

export interface WebConsole {
  /** The version of the service. */
  version: string
  /** Accounts are created by the invited, by everyone, or by the operator only. */
  registration: 'invited' | 'open' | 'closed'
  /** Whether a mail server is configured. */
  hasMail: boolean
  /** Whether staff may get the link of an invitation, which otherwise only the mail has. */
  showsInvitationLinks: boolean
  /** Identity providers that people can sign in with. */
  sso: readonly { name: string; label: string }[]
  /** Whether operators see the installation in the console. */
  hasInstallation: boolean
  /** Base URL, for links; without a trailing slash. */
  url(): string
}

export interface Services {
  /**
   * The request's connection pool, or its transaction if the response is stored with the change.
   */
  db: Db
  /** Commits independently of the request's transaction, such as counters of failed attempts. */
  autonomousDb: Db
  points: PointReader
  clock: Clock
  keyring: Keyring
  feed: ChangeFeed
  passwords: PasswordHasher
  consoleTokens: TokenIssuer
  moidTokens: TokenIssuer
  rateLimits: RateLimits
  dns: DnsResolver
  payments: PaymentProvider
  broker: Broker
  passwordSync: PasswordSync
  /** The external brokers currently in the brokers file. */
  brokers: Brokers
  /** UUID of this process. */
  nodeId: string
  /** Scheme and authority under which callers reach the API. */
  origin: () => string
  mqttEndpoint: () => MqttEndpoint
  /** The same for the devices of one workspace, which may have its own domain. */
  mqttEndpointOf: (workspaceId: string) => MqttEndpoint | Promise<MqttEndpoint>
  /** All brokers; the embedded one, if enabled, comes first. */
  mqttBrokers: () => readonly MqttBroker[]
  webConsole: WebConsole
  /** The workspaces whose MQTT sessions the embedded broker stores. */
  mqttDurable: 'off' | 'workspaces' | 'all'
}

export type Context<C extends Caller = KnownCaller> = RequestContext<Services, C>

/** For an operation without a credential, or a rule that does not use the caller. */
export type AnyContext = Context<Caller>

export const operation = operationOf<Services>()
export const operationGroup = operationGroupOf<Services>()
export const streamOperation = streamOperationOf<Services>()

function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'user':
      return { kind: 'user', id: formatId('usr', caller.userId) }
    case 'device':
      return { kind: 'device', id: formatId('dev', caller.deviceId) }
    case 'moid':
      return { kind: 'moid', id: formatId('moid', caller.moidId) }
    case 'anonymous':
      return { kind: 'anonymous', id: null }
    default:
      return { kind: caller.kind, id: formatId('key', caller.keyId) }
  }
}

/** The actor and request behind a change, for the audit log. */
export const originOf = (context: {
  caller: Caller
  request: Pick<RequestInfo, 'id' | 'address'>
}): Origin => ({
  actor: actorOf(context.caller),
  requestId: context.request.id,
  address: context.request.address,
})

/** The same for a request without a credential, whose sender has just proved to be this user. */
export const originAs = (context: Parameters<typeof originOf>[0], userId: string): Origin => ({
  ...originOf(context),
  actor: { kind: 'user', id: formatId('usr', userId) },
})
