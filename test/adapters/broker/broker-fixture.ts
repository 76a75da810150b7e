/** The environment of the parts of the broker contract. */
import type { Broker, BrokerAuthority } from '../../../src/adapters/broker/port.ts'
import type { TestAuthority } from './test-authority.ts'

export interface StartedBroker {
  broker: Broker
  /** Where MQTT is spoken on 127.0.0.1. */
  port: number
}

export type StartBroker = (authority: BrokerAuthority) => Promise<StartedBroker>

/** A running broker with its authority; the parts are there once the tests run. */
export interface Bench extends StartedBroker {
  authority: TestAuthority
}
