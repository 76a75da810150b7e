/** Where devices are told to connect to. */
import type { Brokers } from '../broker/broker-entry.ts'
import type { Config } from '../config.ts'
import type { RevokeTarget } from '../broker/port.ts'
import type { MqttBroker, MqttEndpoint, Services } from '../context.ts'

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
function mqttEndpointOf(
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

interface EmbeddedPorts {
  readonly ports: Partial<Readonly<Record<'tcp' | 'tls' | 'ws' | 'wss', number>>>
}

/** What the embedded broker is reached by; a proxy before it is known for the default port only. */
function embeddedEndpoints(
  config: Config,
  origin: () => string,
  { ports }: EmbeddedPorts,
): MqttBroker['endpoints'] {
  const host = config.mqttPublicHost ?? new URL(origin()).hostname
  const isDefault = ports.tls === undefined ? 'tcp' : 'tls'
  const plain = (['tcp', 'tls'] as const).flatMap((door) => {
    const bound = ports[door]
    if (bound === undefined) return []
    const shown = door === isDefault ? config.mqttPublicTls : undefined
    const isTls = (shown ?? (door === 'tls' ? 'on' : 'off')) === 'on'
    const port = door === isDefault ? (config.mqttPublicPort ?? bound) : bound
    return [{ protocol: isTls ? ('mqtts' as const) : ('mqtt' as const), host, port }]
  })
  const overWebSocket = (['ws', 'wss'] as const).flatMap((protocol) => {
    const port = ports[protocol]
    return port === undefined ? [] : [{ protocol, host, port, path: '/mqtt' }]
  })
  return [...plain, ...overWebSocket]
}

interface PlaceParts {
  config: Config
  origin: () => string
  device: { broker: EmbeddedPorts; target: RevokeTarget }
  brokers: Brokers
  /** What a revoke can see of the external brokers. */
  targets: () => readonly RevokeTarget[]
}

/** The brokers that clients may connect to, for those who ask where. */
function mqttBrokersOf(parts: PlaceParts): () => MqttBroker[] {
  const { config, origin, device, brokers, targets } = parts
  return () => {
    const external = brokers.present().map(({ name, kind, endpoints = [] }) => ({
      name,
      kind,
      boundSeconds: targets().find((target) => target.name === name)?.boundSeconds,
      endpoints,
    }))
    if (config.embeddedBroker !== 'on') return external
    const embedded: MqttBroker = {
      name: 'embedded',
      kind: 'embedded',
      boundSeconds: device.target.boundSeconds,
      endpoints: embeddedEndpoints(config, origin, device.broker),
    }
    return [embedded, ...external]
  }
}

export const mqttPlacesOf = (
  parts: PlaceParts,
): Pick<Services, 'mqttEndpoint' | 'mqttBrokers'> => ({
  mqttEndpoint: mqttEndpointOf(parts.config, parts.origin, parts.device.broker, parts.brokers),
  mqttBrokers: mqttBrokersOf(parts),
})
