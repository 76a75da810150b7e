/** Settings that only a RabbitMQ has in the brokers file. */
import Type, { type Static, type TObject } from 'typebox'
import { type BrokerEntry, Text } from '../broker-entry.ts'

export const rabbitmqSettings = {
  /** The virtual host; `/` by default. */
  vhost: Type.Optional(Text),
}

export type RabbitmqEntry = BrokerEntry & Static<TObject<typeof rabbitmqSettings>>
