/**
 * Traffic counts of sessions, as plain numbers that the broker adds to: a call for each message
 * would cost more than what it does.
 */
export interface TrafficMeter {
  /** Each message that a session published, and each that was handed to a session. */
  messages: number
  /** The lengths of their payloads. */
  bytes: number
  /** Whether a limit is used up: messages that its sessions publish are refused. */
  readonly isSpent: boolean
  /** Names that limit; called only where something is refused. */
  explain?(): Explanation | undefined
}

/** The explanation that a refused client receives: reason string and user properties of MQTT 5. */
export interface Explanation {
  message: string
  facts: Readonly<Record<string, string>>
}
