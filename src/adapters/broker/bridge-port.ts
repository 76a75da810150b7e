/** The port to the service's own client connection to an external broker. */
import type { Message } from './port.ts'

/** A message received over a bridge. */
export interface BridgedMessage extends Message {
  /** Whether the broker had retained it before the subscription. */
  isOld: boolean
}

/** The service's own connection to an external broker; it reconnects automatically. */
export interface Bridge {
  /** Rejects while disconnected, and if the broker does not acknowledge in time. */
  publish(message: Message): Promise<void>
  /** Why it is not connected and subscribed, in words; null while it is. */
  problem(): string | null
  /** Resolves once no further message will be delivered. */
  stop(): Promise<void>
}

export interface BridgeOptions {
  /** The same in every process: of two connections with one client id a broker keeps the later. */
  clientId: string
  filters: readonly string[]
  /** It leaves nothing at the broker, and gets nothing that was sent while it was not connected. */
  isTransient?: boolean
  /**
   * The broker keeps the message until this promise has resolved, and sends it again, to another
   * process if need be, if the connection ends before. Further ones are delivered meanwhile.
   */
  onMessage: (message: BridgedMessage) => Promise<void>
  warn: (message: string, error: unknown) => void
}
