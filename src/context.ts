/**
 * What every operation can reach: the services that app.ts puts together, as types. Features import
 * this file; it imports only what lies further in.
 */
import type { Caller } from './access/principal.ts'
import type { TokenIssuer } from './access/jwt.ts'
import type { Keyring } from './access/keyring.ts'
import type { PasswordHasher } from './access/passwords.ts'
import type { Brokers } from './broker/broker-entry.ts'
import type { Broker } from './broker/port.ts'
import type { ChangeFeed } from './database/change-feed.ts'
import type { Db, PointReader } from './database/connect.ts'
import type { DnsResolver } from './dns/resolver.ts'
import type { Actor, Origin } from './events/event.ts'
import { operationOf, type RequestContext, type RequestInfo } from './http/operation.ts'
import { streamOperationOf } from './http/stream-operation.ts'
import type { RateLimits } from './http/rate-limit.ts'
import { formatId } from './lib/ids.ts'
import type { Clock } from './lib/clock.ts'
import type { PaymentProvider } from './payments/port.ts'

/** Where devices are told to connect to. */
export interface MqttEndpoint {
  host: string
  port: number
  tls: boolean
}

/** A broker as clients reach it. */
export interface MqttBroker {
  /** `embedded`, or its name in the brokers file. */
  name: string
  kind: string
  /** Seconds within which a revoke is seen to have taken effect; undefined: it can't be seen. */
  boundSeconds: number | undefined
  endpoints: readonly {
    protocol: 'mqtt' | 'mqtts' | 'ws' | 'wss'
    host: string
    port: number
    /** Of a WebSocket. */
    path?: string | undefined
  }[]
}

/**
 * Brokers that keep the passwords of principals themselves. They can be given one only while it is
 * in hand, since nothing but its hash is stored. Where there is no such broker nothing is done.
 */
export interface PasswordKeepers {
  /** Whether there is such a broker: then new secrets are written in one transaction with this. */
  isNeeded(): boolean
  /**
   * Gives new secrets to them after the commit, in the background, until they have them, whatever
   * becomes of this process. The ids are those that callers see.
   */
  issued(
    db: Db,
    workspaceId: string,
    passwords: readonly { principalId: string; password: string }[],
  ): Promise<void>
  /**
   * Puts a password in place of the one before, which is not to be good any more once the change
   * is committed; to be called in its transaction. Throws `unavailable` when a broker can't be
   * told.
   */
  replace(
    db: Db,
    workspaceId: string,
    issued: { principalId: string; password: string },
  ): Promise<void>
}

export interface Services {
  /** The pool, or the request's transaction when the answer is stored with the change. */
  db: Db
  /** Commits by itself, whatever becomes of the request: counters of failed tries. */
  side: Db
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
  passwordKeepers: PasswordKeepers
  /** The external brokers, as the brokers file names them at present. */
  brokers: Brokers
  /** UUID of this process, as the rows that it writes name it. */
  nodeId: string
  /** Scheme and authority under which callers reach the API. */
  origin: () => string
  mqttEndpoint: () => MqttEndpoint
  /** The same for the devices of one workspace, which may have a domain of its own for it. */
  mqttEndpointOf: (workspaceId: string) => MqttEndpoint | Promise<MqttEndpoint>
  /** All brokers, the embedded one first where there is one. */
  mqttBrokers: () => readonly MqttBroker[]
  /** Where people use the console, for links in mail; without a slash at its end. */
  consoleUrl: string | undefined
}

export type Context<C extends Caller = Caller> = RequestContext<Services, C>

export const operation = operationOf<Services>()
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

/** Who is behind a request, for the audit log. */
export const originOf = (context: {
  caller: Caller
  request: Pick<RequestInfo, 'id' | 'address'>
}): Origin => ({
  actor: actorOf(context.caller),
  requestId: context.request.id,
  address: context.request.address,
})
