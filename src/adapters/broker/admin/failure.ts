/** Failures of calls to an external broker's admin interface, with messages for its operator. */

/**
 * `unreachable`: no connection. `slow`: no response in time. `refused`: the request was rejected.
 * `malformed`: the response was not as specified.
 */
export type BrokerFailureKind = 'unreachable' | 'slow' | 'refused' | 'malformed'

export class BrokerFailure extends Error {
  readonly broker: string
  readonly kind: BrokerFailureKind

  /** @param what a sentence without the broker's name, never containing a secret */
  constructor(broker: string, kind: BrokerFailureKind, what: string) {
    super(`Broker ${broker}: ${what}`)
    this.name = 'BrokerFailure'
    this.broker = broker
    this.kind = kind
  }
}
