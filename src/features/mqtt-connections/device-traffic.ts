/** What devices say and hear over MQTT, for the features that are made of it. */
import type { Broker, Message, Session } from '../../broker/port.ts'
import type { DeviceSession } from './presence.ts'

export interface DeviceTraffic {
  /** Names the broker to publish through; called once, before anything else. */
  serve(broker: Pick<Broker, 'publish'>): void
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
