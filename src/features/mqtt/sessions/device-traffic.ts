/** What devices say and hear over MQTT, for the features that are made of it. */
import type { Message, Session } from '../../../adapters/broker/port.ts'
import type { DeviceSession } from './presence.ts'

/** Reaches a device on whichever broker it is. */
export interface DevicePublisher {
  /**
   * Resolves when this process's broker has the message. Brokers elsewhere get it in the same
   * order, but in their own time: nobody waits for one that hangs.
   * @param onLost told when one that has the device did not take it.
   */
  publish(message: Message, onLost?: (error: unknown) => void): Promise<void>
}

export interface DeviceTraffic {
  /** Names what to publish through; called once, before anything else. */
  serve(broker: DevicePublisher): void
  /** Publishes nothing more. */
  stop(): void
  /** A session was granted these filters: from now on messages reach it. */
  subscribed(session: Session, device: DeviceSession, filters: readonly string[]): void
  closed(session: Session, device: DeviceSession): void
  /** A device published this, as it may. */
  published(device: DeviceSession, message: Message): void
  /** The sessions of a device, named by its UUID, act by other rules from now on. */
  regranted(deviceId: string): void
}
