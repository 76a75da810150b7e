/** Where devices are told to connect to. */
import type { Brokers } from '../broker/broker-entry.ts'
import type { Config } from '../config.ts'
import type { MqttEndpoint } from '../context.ts'

/** The endpoint that the brokers file marks as the default; devices speak MQTT over TCP. */
function externalEndpoint(brokers: Brokers): MqttEndpoint | undefined {
  for (const { endpoints = [] } of brokers.present()) {
    const found = endpoints.find((endpoint) => endpoint.default)
    if (found !== undefined) {
      return { host: found.host, port: found.port, tls: found.protocol === 'mqtts' }
    }
  }
  return undefined
}

/** Every registration asks for it, so it is looked up once for each version of the brokers file. */
export function mqttEndpointOf(
  config: Config,
  origin: () => string,
  broker: { readonly ports: { readonly tcp?: number; readonly tls?: number } },
  brokers: Brokers,
): () => MqttEndpoint {
  let endpoint: MqttEndpoint | undefined
  brokers.onChange(() => {
    endpoint = undefined
  })
  return () =>
    (endpoint ??= externalEndpoint(brokers) ?? {
      host: config.mqttPublicHost ?? new URL(origin()).hostname,
      port: config.mqttPublicPort ?? broker.ports.tls ?? broker.ports.tcp ?? 0,
      tls: (config.mqttPublicTls ?? (broker.ports.tls === undefined ? 'off' : 'on')) === 'on',
    })
}
