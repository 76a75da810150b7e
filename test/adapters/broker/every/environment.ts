/**
 * A broker under test, as the checks for every broker use it: its MQTT port for clients, and the
 * changes of rights that the service makes.
 */
import type { TestContext } from 'node:test'
import type {
  BrokerConnection,
  NewerSecret,
} from '../../../../src/adapters/broker/external-port.ts'
import type { Message, TopicRule } from '../../../../src/adapters/broker/port.ts'
import type { Version } from '../mqtt-clients.ts'
import type { Credential } from '../test-authority.ts'

export interface BrokerEnvironment {
  /** The port of MQTT on 127.0.0.1. */
  port: number
  /** Adds a principal; resolves when the broker lets it in. By default it has its workspace. */
  add(workspaceId: string, rules?: TopicRule[]): Promise<Credential>
  /** Changes the rights of a principal, also for its live sessions. */
  regrant(credential: Credential, rules: TopicRule[]): Promise<void>
  /** Refuses further CONNECTs of the principal, and leaves its sessions open. */
  deny(credential: Credential): void
  /** Denies the principal, and ends its sessions. @returns how many sessions were ended. */
  suspend(credential: Credential): Promise<number>
  resume(credential: Credential): Promise<void>
  /** Deletes the principal, and ends its sessions. */
  remove(credential: Credential): Promise<void>
  /** Replaces the principal's secret; the earlier one is refused from now on. */
  renew(credential: Credential): Promise<void>
  /** Ends its sessions; it may reconnect. @returns how many were ended */
  kick(credential: Credential): Promise<number>
  /** Ends the sessions of the principal that began with an older secret. */
  endOlder(credential: Credential, newer: NewerSecret): Promise<number>
  /** Whether the revocation of the principal has visibly taken effect. */
  verify(credential: Credential): Promise<boolean>
  connections(credential: Credential): Promise<BrokerConnection[]>
  /** Publishes as the service. */
  publish(message: Message): Promise<void>
  /** Restarts the broker with its stored state. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export type RunCheck = (t: TestContext, place: BrokerEnvironment, version: Version) => Promise<void>

/** Checks by their guarantee; a broker's page lists its exceptions in the same words. */
export type Checks = Readonly<Record<string, RunCheck>>

/** Checks that a broker can't pass, and why. */
export type Exceptions = Readonly<Record<string, string>>

/** Publishes as the service, with QoS 1. */
export const say = (place: BrokerEnvironment, topic: string, payload: string): Promise<void> =>
  place.publish({ topic, payload: Buffer.from(payload), qos: 1, retain: false })
