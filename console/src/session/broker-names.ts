/** The names of brokers and of their products. */
import { t } from '../i18n/frame.ts'

/** It has no name of its own. */
export const EMBEDDED = 'embedded'

export const brokerName = (broker: string): string =>
  broker === EMBEDDED ? t('Embedded broker') : broker

const products: Readonly<Record<string, string>> = {
  emqx: 'EMQX',
  'mosquitto-dynsec': 'Mosquitto (dynsec)',
  'mosquitto-go-auth': 'Mosquitto (go-auth)',
  nanomq: 'NanoMQ',
  rabbitmq: 'RabbitMQ',
  vernemq: 'VerneMQ',
}

/** @param kind of a broker, as the API has it */
export const productOf = (kind: string): string => products[kind] ?? kind
