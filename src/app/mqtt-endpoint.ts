/** Where devices are told to connect to. */
import type { Config } from '../config.ts'
import type { MqttEndpoint } from '../context.ts'

/** Every registration asks for it, so it is looked up once: ports stay as they were bound. */
export function mqttEndpointOf(
  config: Config,
  origin: () => string,
  broker: { readonly ports: { readonly tcp?: number; readonly tls?: number } },
): () => MqttEndpoint {
  let endpoint: MqttEndpoint | undefined
  return () =>
    (endpoint ??= {
      host: config.mqttPublicHost ?? new URL(origin()).hostname,
      port: config.mqttPublicPort ?? broker.ports.tls ?? broker.ports.tcp ?? 0,
      tls: (config.mqttPublicTls ?? (broker.ports.tls === undefined ? 'off' : 'on')) === 'on',
    })
}
