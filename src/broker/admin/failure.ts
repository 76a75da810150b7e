/** What can go wrong when a foreign broker is administered, in words for its operator. */

/**
 * `unreachable`: no connection. `slow`: no answer in time. `refused`: it answered, and said no.
 * `malformed`: it answered what it should not have.
 */
export type BrokerFailureKind = 'unreachable' | 'slow' | 'refused' | 'malformed'

export class BrokerFailure extends Error {
  readonly broker: string
  readonly kind: BrokerFailureKind

  /** @param what a sentence without the broker's name, and never with a secret. */
  constructor(broker: string, kind: BrokerFailureKind, what: string) {
    super(`Broker ${broker}: ${what}`)
    this.name = 'BrokerFailure'
    this.broker = broker
    this.kind = kind
  }
}
