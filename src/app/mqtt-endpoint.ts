/** The addresses that devices and other MQTT clients receive to connect to. */
import type { Brokers } from '../adapters/broker/broker-entry.ts'
import { andThen } from '../platform/lib/maybe-promise.ts'
import { keepsPasswords } from '../adapters/broker/kinds.ts'
import type { Config } from '../platform/config/config.ts'
import type { RevokeTarget } from '../adapters/broker/external-port.ts'
import type { MqttBroker, MqttEndpoint, Services } from '../context.ts'
import type { DomainDirectory } from '../features/domains/ownership/directory.ts'

/** The default endpoint of the brokers file; devices use MQTT over TCP. */
function externalEndpoint(brokers: Brokers): MqttEndpoint | undefined {
  for (const { endpoints = [] } of brokers.present()) {
    const found = endpoints.find((endpoint) => endpoint.default)
    if (found !== undefined) {
      return { host: found.host, port: found.port, tls: found.protocol === 'mqtts' }
    }
  }
  return undefined
}

interface Usual {
  endpoint: MqttEndpoint
  /** Whether it comes from the brokers file. */
  isExternal: boolean
}

/** Every registration needs it, so it is computed once per version of the brokers file. */
function usualEndpointOf(
  config: Config,
  origin: () => string,
  broker: { readonly ports: { readonly tcp?: number; readonly tls?: number } },
  brokers: Brokers,
): () => Usual {
  let usual: Usual | undefined
  brokers.onChange(() => {
    usual = undefined
  })
  const find = (): Usual => {
    const external = externalEndpoint(brokers)
    if (external !== undefined) return { endpoint: external, isExternal: true }
    const host = config.mqttPublicHost ?? new URL(origin()).hostname
    const port = config.mqttPublicPort ?? broker.ports.tls ?? broker.ports.tcp ?? 0
    const publicTls = config.mqttPublicTls ?? (broker.ports.tls === undefined ? 'off' : 'on')
    return { endpoint: { host, port, tls: publicTls === 'on' }, isExternal: false }
  }
  return () => (usual ??= find())
}

interface EmbeddedPorts {
  readonly ports: Partial<Readonly<Record<'tcp' | 'tls' | 'ws' | 'wss', number>>>
}

/**
 * The endpoints of the embedded broker; a proxy in front of it is only known for the default port.
 */
function embeddedEndpoints(
  config: Config,
  origin: () => string,
  { ports }: EmbeddedPorts,
): MqttBroker['endpoints'] {
  const host = config.mqttPublicHost ?? new URL(origin()).hostname
  const isDefault = ports.tls === undefined ? 'tcp' : 'tls'
  const plain = (['tcp', 'tls'] as const).flatMap((listener) => {
    const bound = ports[listener]
    if (bound === undefined) return []
    const publicTls = listener === isDefault ? config.mqttPublicTls : undefined
    const isTls = (publicTls ?? (listener === 'tls' ? 'on' : 'off')) === 'on'
    const port = listener === isDefault ? (config.mqttPublicPort ?? bound) : bound
    return [{ protocol: isTls ? ('mqtts' as const) : ('mqtt' as const), host, port }]
  })
  const overWebSocket = (['ws', 'wss'] as const).flatMap((protocol) => {
    const port = ports[protocol]
    return port === undefined ? [] : [{ protocol, host, port, path: '/mqtt' }]
  })
  return [...plain, ...overWebSocket]
}

/**
 * The endpoint of a workspace's devices, under its own domain if it has one. Endpoints in the
 * brokers file have their own certificates, which do not cover domains.
 */
const ownEndpointOf =
  (usual: () => Usual, domains: DomainDirectory): Services['mqttEndpointOf'] =>
  (workspaceId) => {
    const { endpoint, isExternal } = usual()
    if (isExternal) return endpoint
    const withHost = (host: string | undefined): MqttEndpoint =>
      host === undefined ? endpoint : { ...endpoint, host }
    return andThen(domains.mqttHostOf(workspaceId), withHost)
  }

interface BrokerEnvironmentParts extends Pick<Services, 'origin' | 'brokers'> {
  config: Config
  domains: DomainDirectory
  mqtt: {
    broker: EmbeddedPorts
    target: RevokeTarget
    /** The external brokers on which revocations can be observed. */
    external: { present: () => readonly RevokeTarget[] }
  }
}

/** The brokers that clients may connect to. */
function mqttBrokersOf(parts: BrokerEnvironmentParts): () => MqttBroker[] {
  const { config, origin, mqtt, brokers } = parts
  const targets = () => mqtt.external.present()
  return () => {
    const external = brokers.present().map(({ name, kind, endpoints = [] }) => ({
      name,
      kind,
      boundSeconds: targets().find((target) => target.name === name)?.boundSeconds,
      keepsPasswords: keepsPasswords({ kind }),
      endpoints,
    }))
    if (config.embeddedBroker !== 'on') return external
    const embedded: MqttBroker = {
      name: 'embedded',
      kind: 'embedded',
      boundSeconds: mqtt.target.boundSeconds,
      keepsPasswords: false,
      // Evaluated lazily: ports are bound later and released first at shutdown.
      get endpoints() {
        return embeddedEndpoints(config, origin, mqtt.broker)
      },
    }
    return [embedded, ...external]
  }
}

export function mqttPlacesOf(
  parts: BrokerEnvironmentParts,
): Pick<Services, 'mqttEndpoint' | 'mqttEndpointOf' | 'mqttBrokers'> {
  const { config, origin, mqtt, brokers, domains } = parts
  const usual = usualEndpointOf(config, origin, mqtt.broker, brokers)
  return {
    mqttEndpoint: () => usual().endpoint,
    mqttEndpointOf: ownEndpointOf(usual, domains),
    mqttBrokers: mqttBrokersOf(parts),
  }
}
