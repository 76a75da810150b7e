/** The seam between the service and its own connection to a broker elsewhere. */
import type { Message } from './port.ts'

/** A message that came over a bridge. */
export interface BridgedMessage extends Message {
  /** Whether it was kept by the broker from before the subscription. */
  isOld: boolean
}

/** The service's own connection to a broker elsewhere; it comes back by itself when it breaks. */
export interface Bridge {
  /** Rejects while there is no connection, and when the broker does not acknowledge in time. */
  publish(message: Message): Promise<void>
  /** Resolves when nothing comes any more. */
  stop(): Promise<void>
}

export interface BridgeOptions {
  /** The same for every process: of two connections the broker keeps the later one. */
  clientId: string
  filters: readonly string[]
  /** The next message comes once this has resolved. */
  onMessage: (message: BridgedMessage) => Promise<void>
  warn: (message: string, error: unknown) => void
}
