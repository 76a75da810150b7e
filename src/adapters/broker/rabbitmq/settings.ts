/** Settings that only a RabbitMQ has in the brokers file. */
import Type from 'typebox'
import { type BrokerEntry, Text } from '../broker-entry.ts'

export const rabbitmqSettings = {
  /** The virtual host; `/` by default. */
  vhost: Type.Optional(Text),
}

export interface RabbitmqEntry extends BrokerEntry {
  vhost?: string
}
