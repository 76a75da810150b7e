/** Counts decisions on CONNECTs, and hook requests that could not be decided, for metrics. */
import type { ConnectRefusal, ConnectRequest } from '../adapters/broker/port.ts'
import type { HookRefusal } from '../adapters/broker/hooks/hook.ts'
import type { SessionSubscriber } from '../features/mqtt/sessions/session-events.ts'
import type { LiveSession } from '../features/mqtt/sessions/session-registry.ts'
import type { Sample } from '../platform/http/operator.ts'

/** This process's own broker, among the names of external ones. */
const EMBEDDED = 'embedded'
/** A caller that is not a configured broker. */
const UNKNOWN = 'unknown'

/** By broker, which the operator's file names, and by outcome. Totals since the start. */
class Counts {
  readonly #label: string
  readonly #byBroker = new Map<string, Map<string, number>>()

  constructor(label: string) {
    this.#label = label
  }

  add(broker: string, outcome: string): void {
    let counts = this.#byBroker.get(broker)
    if (counts === undefined) this.#byBroker.set(broker, (counts = new Map()))
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }

  samples(): Sample[] {
    return [...this.#byBroker].flatMap(([broker, counts]) =>
      [...counts].map(([outcome, value]) => ({
        labels: { broker, [this.#label]: outcome },
        value,
      })),
    )
  }
}

export class MqttCounts implements SessionSubscriber {
  readonly connects = new Counts('outcome')
  readonly hookDenials = new Counts('reason')

  opened(): void {
    this.connects.add(EMBEDDED, 'accepted')
  }

  refused({ external }: ConnectRequest, { reason }: ConnectRefusal): void {
    this.connects.add(external?.broker ?? EMBEDDED, reason)
  }

  /** An external broker gets the response to accept a client. */
  admitted(_live: LiveSession, broker: string): void {
    this.connects.add(broker, 'accepted')
  }

  /** A hook request was denied without a decision. */
  readonly denied = (broker: string | undefined, reason: HookRefusal): void =>
    this.hookDenials.add(broker ?? UNKNOWN, reason)
}
