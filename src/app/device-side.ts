/**
 * Builds what is behind the MQTT port: the broker, authentication of clients, and the state of
 * sessions.
 */
import { openBridge } from '../adapters/broker/bridge/bridge.ts'
import type { Brokers } from '../adapters/broker/broker-entry.ts'
import { createEmbeddedBroker, type EmbeddedBroker } from '../adapters/broker/embedded/broker.ts'
import type { EmbeddedBrokerLimits } from '../adapters/broker/embedded/limits.ts'
import type { BrokerPorts } from '../adapters/broker/embedded/listeners.ts'
import type { RevokeTarget } from '../adapters/broker/external-port.ts'
import { kindOf } from '../adapters/broker/kinds.ts'
import type { BrokerAuthority } from '../adapters/broker/port.ts'
import type { Config } from '../platform/config/config.ts'
import type { Services } from '../context.ts'
import type { Keyring } from '../platform/access/keyring.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import { ConnectionAttempts } from '../features/mqtt/connection-log/attempts.ts'
import {
  BrokerBridges,
  type BrokerBridgeServices,
} from '../features/mqtt/bridges/broker-bridges.ts'
import { DevicePrefixes } from '../features/mqtt/bridges/device-prefixes.ts'
import {
  SilentDevices,
  type SilentDeviceServices,
} from '../features/mqtt/bridges/silent-devices.ts'
import { CommandDelivery } from '../features/devices/commands/command-delivery.ts'
import { ConnectionRegister } from '../features/mqtt/sessions/connection-register.ts'
import { createEmbeddedTarget } from '../features/mqtt/sessions/embedded-target.ts'
import { ConfigDelivery } from '../features/devices/config/config-delivery.ts'
import { HostWatch } from '../features/mqtt/sessions/host-watch.ts'
import {
  LateAdmissions,
  type LateAdmissionServices,
} from '../features/mqtt/sessions/late-admissions.ts'
import { LiveSessions, type LiveSessionServices } from '../features/mqtt/sessions/live-sessions.ts'
import { PrincipalContacts } from '../features/mqtt/sessions/principal-contacts.ts'
import { SessionNews } from '../features/mqtt/sessions/session-news.ts'
import { createPresence, type Presence } from '../features/mqtt/sessions/presence.ts'
import {
  RemoteAdmissions,
  type RemoteAdmissionServices,
} from '../features/mqtt/sessions/remote-admissions.ts'
import { MessageRelay } from '../features/mqtt/messages/message-relay.ts'
import type { DomainDirectory } from '../features/domains/ownership/directory.ts'
import { CredentialAuthority } from '../features/mqtt/credentials/authority.ts'
import {
  decideByClientId,
  decideByHosts,
  decideByStatus,
} from '../features/mqtt/credentials/deciders.ts'
import { ConnectedDevices } from '../features/metering/usage/connected-devices.ts'
import type { LimitsOf } from '../features/metering/usage/limits.ts'
import { UsageMeters, type UsageServices } from '../features/metering/usage/usage-meters.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Certificate } from './certificate.ts'
import { createExternalBrokers, type ExternalBrokers } from './external-brokers.ts'
import { warnWith } from './warnings.ts'

const cachedCredentials = 100_000

export interface DeviceSide {
  external: ExternalBrokers
  /** What features may use. */
  services: Pick<Services, 'broker' | 'passwordKeepers'> & UsageServices
  broker: EmbeddedBroker
  live: LiveSessions
  /** Decides for external brokers that ask through hooks. */
  remote: RemoteAdmissions
  /** Checks those decisions again later. */
  late: LateAdmissions
  commands: CommandDelivery
  configs: ConfigDelivery
  /** What waits to be told to the next four. */
  news: SessionNews
  attempts: ConnectionAttempts
  presence: Presence
  contacts: PrincipalContacts
  connections: ConnectionRegister
  messages: MessageRelay
  bridges: BrokerBridges
  silent: SilentDevices
  /** Meters the usage of workspaces. */
  usage: UsageMeters
  /** This process's broker as the target of revokes. */
  target: RevokeTarget
}

const limitsOf = (config: Config): Partial<EmbeddedBrokerLimits> => ({
  packetBytes: config.mqttPacketBytes,
  keepAliveSeconds: config.mqttKeepAliveSeconds,
  topicLevels: config.mqttTopicLevels,
  subscriptionsPerSession: config.mqttSubscriptions,
  sessionsPerPrincipal: config.mqttSessions,
  inboundInFlightPerSession: config.mqttInFlight,
  queuedMessagesPerSession: config.mqttQueuedMessages,
  publishesPerSecond: config.mqttPublishRate,
  connectsPerSecondPerAddress: config.mqttConnectRate,
  undecidedConnects: config.mqttUndecidedConnects,
})

/** Without a listener the broker only serves the service itself. */
const portsOf = (config: Config): BrokerPorts =>
  config.embeddedBroker === 'off'
    ? {}
    : {
        tcp: config.mqttPort,
        tls: config.mqttTlsPort,
        ws: config.mqttWsPort,
        wss: config.mqttWssPort,
      }

const brokerOf = (
  authority: BrokerAuthority,
  { config, certificate, log }: { config: Config; certificate: Certificate; log: Log },
): EmbeddedBroker =>
  createEmbeddedBroker({
    authority,
    host: config.mqttHost,
    ports: portsOf(config),
    tls: certificate.present(),
    limits: limitsOf(config),
    log: {
      warn: (details, message) => log('warn', message, { ...details }),
      error: (details, message) => log('error', message, { ...details }),
    },
  })

/**
 * Brokers that end sessions when a newer secret is confirmed. A broker without hooks stores one
 * password per client and ends sessions when it is set.
 */
const revocableAt = (brokers: Brokers): string[] =>
  brokers
    .present()
    .filter((entry) => entry.admin !== undefined && kindOf(entry).hooks.length > 0)
    .map(({ name }) => name)

interface DeviceSideParts {
  config: Config
  database: Database
  feed: ChangeFeed
  keyring: Keyring
  clock: Clock
  nodeId: string
  certificate: Certificate
  brokers: Brokers
  /** The limits of a workspace's plan; without it there are none. */
  limitsOf?: LimitsOf | undefined
  domains: DomainDirectory
  onConnectRefused?: LiveSessionServices['onRefused']
  log: Log
}

const bridgesOf = (
  parts: Pick<DeviceSideParts, 'database' | 'feed' | 'keyring' | 'clock' | 'nodeId' | 'brokers'> &
    Pick<BrokerBridgeServices, 'presence' | 'traffic' | 'warn'>,
): BrokerBridges => {
  const { database: db, feed, keyring, clock, nodeId, brokers, presence, traffic, warn } = parts
  return new BrokerBridges({
    db,
    brokers,
    nodeId,
    clientId: `mooring-${keyring.fingerprint().slice(0, 12)}`,
    prefixes: new DevicePrefixes({ db, feed }),
    presence,
    traffic,
    clock,
    open: openBridge,
    warn,
  })
}

/** Brokers without an admin interface are known only by what their hooks have asked. */
const silentOf = (
  services: Pick<SilentDeviceServices, 'db' | 'feed' | 'warn'>,
  { bridges, external, remote }: Pick<DeviceSide, 'bridges' | 'external' | 'remote'>,
): SilentDevices =>
  new SilentDevices({
    ...services,
    held: () => bridges.held(),
    present: async (broker, names) =>
      (await external.presentAt(broker, names)) ?? remote.lastAt(broker, names),
  })

const admissionsOf = (
  services: LateAdmissionServices & Omit<RemoteAdmissionServices, 'late'>,
): Pick<DeviceSide, 'late' | 'remote'> => {
  const late = new LateAdmissions(services)
  return { late, remote: new RemoteAdmissions({ ...services, late }) }
}

export function createDeviceSide(parts: DeviceSideParts): DeviceSide {
  const { database: db, feed, keyring, clock, nodeId, certificate, log } = parts
  const presence = createPresence({ db, clock, nodeId })
  const { limitsOf, domains } = parts
  const usage = new UsageMeters({ db, clock, nodeId, limitsOf })
  const devices = new ConnectedDevices({ db, nodeId, limitsOf, usage })
  const externalBrokers = (): string[] => revocableAt(parts.brokers)
  const known = { db, points: db.points, feed, keyring, clock, cachedCredentials, externalBrokers }
  const deciders = [decideByHosts(domains), decideByClientId, decideByStatus(clock)]
  const authority = new CredentialAuthority({ ...known, deciders, usage })
  const warn = warnWith(log)
  const commands = new CommandDelivery({ db, feed, log: warn })
  const configs = new ConfigDelivery({ db, feed, clock, log: warn })
  const traffic = [commands, configs]
  const contacts = new PrincipalContacts(db)
  const attempts = new ConnectionAttempts({ db, clock })
  const connections = new ConnectionRegister({ db, feed, nodeId, log: warn })
  const messages = new MessageRelay({ db, feed, log: warn })
  const news = new SessionNews({ presence, contacts, connections, attempts, clock })
  const live = new LiveSessions({
    authority,
    presence,
    news,
    connections,
    traffic,
    attempts,
    devices,
    feed,
    clock,
    ...(parts.onConnectRefused && { onRefused: parts.onConnectRefused }),
    log: warn,
  })
  const admitting = { ...known, authority, presence, contacts, attempts }
  const { late, remote } = admissionsOf({ ...admitting, refused: live.refused })
  const hosts = new HostWatch(live, { domains, feed, log: warn })
  const broker = hosts.serve((each) => brokerOf(each, parts))
  const target = createEmbeddedTarget({ nodeId, clock, broker, authority })
  live.serve(broker, target)
  const bridges = bridgesOf({ ...parts, presence, traffic, warn })
  for (const each of traffic) each.serve(bridges.toDevices(broker))
  if (parts.config.embeddedBroker === 'on') messages.serve(broker)
  messages.serve(bridges)
  certificate.onRenewed((identity) => broker.renewCertificate(identity))
  const told = { news, attempts, presence, contacts, connections, messages, usage }
  const external = createExternalBrokers({ ...parts, db, authority })
  const silent = silentOf({ db, feed, warn }, { bridges, external, remote })
  const services = { broker, passwordKeepers: external.passwords, usage, limitsOf }
  const sides = { commands, configs, bridges, external, silent }
  return { broker, services, live, remote, late, target, ...sides, ...told }
}
