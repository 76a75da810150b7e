/**
 * A broker with its admin side and principals, as the checks that hold for every broker see it:
 * its view for clients, and the changes of rights by the service.
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
  /** Where MQTT is spoken on 127.0.0.1. */
  port: number
  /** Adds a principal; resolves when the broker lets it in. By default it has its workspace. */
  add(workspaceId: string, rules?: TopicRule[]): Promise<Credential>
  /** Gives other rights, and does what it takes for live sessions to obey them. */
  regrant(credential: Credential, rules: TopicRule[]): Promise<void>
  /** Decides that the principal may not come in, and does nothing about where it is. */
  deny(credential: Credential): void
  /** The same, and revokes. @returns how many sessions were ended. */
  suspend(credential: Credential): Promise<number>
  resume(credential: Credential): Promise<void>
  /** Deletes the principal, and revokes. */
  remove(credential: Credential): Promise<void>
  /** Another secret, the only one that is good from now on. */
  renew(credential: Credential): Promise<void>
  /** Ends its sessions, while it may come back. @returns how many. */
  kick(credential: Credential): Promise<number>
  /** Ends those of its sessions that began with an older secret. */
  endOlder(credential: Credential, newer: NewerSecret): Promise<number>
  /** Whether the revocation of the principal has visibly taken effect. */
  verify(credential: Credential): Promise<boolean>
  connections(credential: Credential): Promise<BrokerConnection[]>
  /** Publishes as the service. */
  publish(message: Message): Promise<void>
  /** Ends the broker, and restarts it with what it keeps. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export type RunCheck = (t: TestContext, place: BrokerEnvironment, version: Version) => Promise<void>

/** Checks by what they guarantee, in the words that a broker's page declares exceptions with. */
export type Checks = Readonly<Record<string, RunCheck>>

/** Checks that a broker can't keep, and why. */
export type Exceptions = Readonly<Record<string, string>>

/** Publishes as the service, with QoS 1. */
export const say = (place: BrokerEnvironment, topic: string, payload: string): Promise<void> =>
  place.publish({ topic, payload: Buffer.from(payload), qos: 1, retain: false })
