/**
 * What is counted of sessions, as plain numbers that the broker adds to: a call for each message
 * would cost more than what it does.
 */
export interface TrafficMeter {
  /** Each message that a session published, and each that was handed to a session. */
  messages: number
  /** The lengths of their payloads. */
  bytes: number
  /** Whether a limit is used up: what its sessions publish is refused. */
  readonly isSpent: boolean
  /** Which limit that is; asked only where something is refused. */
  explain?(): Explanation | undefined
}

/** What a refused client receives: as reason string and user properties, in MQTT 5. */
export interface Explanation {
  message: string
  facts: Readonly<Record<string, string>>
}
