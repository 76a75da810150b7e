/** What the brokers that the service works with are called. */
const products: Readonly<Record<string, string>> = {
  emqx: 'EMQX',
  'mosquitto-dynsec': 'Mosquitto (dynsec)',
  'mosquitto-go-auth': 'Mosquitto (go-auth)',
  nanomq: 'NanoMQ',
  rabbitmq: 'RabbitMQ',
  vernemq: 'VerneMQ',
}

export const productOf = (kind: string): string => products[kind] ?? kind
