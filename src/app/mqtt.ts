/**
 * Builds everything behind the MQTT port. Two lists are made here: the deciders of a CONNECT, and
 * the subscribers to what the broker reports of its sessions.
 */
import { openBridge } from '../adapters/broker/bridge/bridge.ts'
import type { Brokers } from '../adapters/broker/broker-entry.ts'
import { createEmbeddedBroker, type EmbeddedBroker } from '../adapters/broker/embedded/broker.ts'
import type { EmbeddedBrokerLimits } from '../adapters/broker/embedded/limits.ts'
import type { BrokerPorts } from '../adapters/broker/embedded/listeners.ts'
import { kindOf } from '../adapters/broker/kinds.ts'
import type { RevokeTarget } from '../adapters/broker/external-port.ts'
import type { BrokerAuthority, ConnectRequest, Refusal } from '../adapters/broker/port.ts'
import type { Services } from '../context.ts'
import { CommandDelivery } from '../features/devices/commands/command-delivery.ts'
import { ConfigDelivery } from '../features/devices/config/config-delivery.ts'
import type { DomainDirectory } from '../features/domains/ownership/directory.ts'
import { ConnectedDevices } from '../features/metering/usage/connected-devices.ts'
import type { LimitsOf } from '../features/metering/usage/limits.ts'
import { UsageMeters, type UsageServices } from '../features/metering/usage/usage-meters.ts'
import {
  BrokerBridges,
  createDevicePublisher,
  type HeldBridges,
} from '../features/mqtt/bridges/broker-bridges.ts'
import { DevicePrefixes } from '../features/mqtt/bridges/device-prefixes.ts'
import { PresenceSweep } from '../features/mqtt/bridges/presence-sweep.ts'
import { ConnectionAttempts } from '../features/mqtt/connection-log/attempts.ts'
import { CredentialAuthority } from '../features/mqtt/credentials/authority.ts'
import {
  decideByClientId,
  decideByHosts,
  decideByPlan,
  decideByStatus,
} from '../features/mqtt/credentials/deciders.ts'
import { MessageRelay } from '../features/mqtt/messages/message-relay.ts'
import type { TailServices } from '../features/mqtt/messages/tail.ts'
import { TailHub } from '../features/mqtt/messages/tail-hub.ts'
import { ConnectionRegister } from '../features/mqtt/sessions/connection-register.ts'
import { DelayedRecheck } from '../features/mqtt/sessions/delayed-recheck.ts'
import {
  DisconnectLog,
  reportTo,
  type SessionSubscriber,
} from '../features/mqtt/sessions/session-events.ts'
import { createEmbeddedTarget } from '../features/mqtt/sessions/embedded-target.ts'
import {
  ExternalAuthorizer,
  type ExternalAuthorizerServices,
} from '../features/mqtt/sessions/external-authorizer.ts'
import { StoredWorkspaces } from '../features/mqtt/durable-sessions/stored-workspaces.ts'
import { DurableStore } from '../features/mqtt/durable-sessions/session-batches.ts'
import { HostCheck } from '../features/mqtt/sessions/host-check.ts'
import {
  createPresence,
  type Presence,
  presenceSubscriber,
} from '../features/mqtt/sessions/presence.ts'
import { PrincipalContacts } from '../features/mqtt/sessions/principal-contacts.ts'
import { Reauthorization } from '../features/mqtt/sessions/reauthorization.ts'
import type { StateServices } from '../features/devices/state/device-state.ts'
import { ReportedStates } from '../features/mqtt/sessions/reported-states.ts'
import { SessionRecorder } from '../features/mqtt/sessions/session-recorder.ts'
import { SessionRegistry } from '../features/mqtt/sessions/session-registry.ts'
import type { Config } from '../platform/config/config.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import type { Log } from '../platform/log.ts'
import type { Certificate } from './certificate.ts'
import { ExternalBrokers } from './external-brokers.ts'
import type { Tracer } from '../platform/trace/tracer.ts'
import { watchConnects } from './tracing.ts'
import { MqttCounts } from './mqtt-counts.ts'
import { warnWith } from './warnings.ts'
import { ReceiptWork } from '../features/mqtt/revocation/receipt-work.ts'

const cachedCredentials = 100_000

export interface Mqtt {
  /** What features may use. */
  services: Pick<Services, 'broker' | 'passwordSync'> & UsageServices & StateServices & TailServices
  broker: EmbeddedBroker
  /** Decides for the embedded broker and takes its events; give it to `broker.start`. */
  authority: BrokerAuthority
  /** This process's broker as the target of revokes. */
  target: RevokeTarget
  external: ExternalBrokers
  /** Decides for external brokers that ask through hooks. */
  authorizer: ExternalAuthorizer
  /** Re-checks those decisions a few seconds later. */
  recheck: DelayedRecheck
  disconnects: DisconnectLog
  commands: CommandDelivery
  configs: ConfigDelivery
  /** Delivers to the next four, before they are flushed. */
  recorder: SessionRecorder
  attempts: ConnectionAttempts
  presence: Presence
  states: ReportedStates
  contacts: PrincipalContacts
  connections: ConnectionRegister
  bridges: BrokerBridges
  usage: UsageMeters
  counts: MqttCounts
  /** Ends all reactions to changes; the brokers are stopped separately. */
  stop: () => void
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
const portsOf = ({ config, hasListeners }: MqttParts): BrokerPorts =>
  config.embeddedBroker === 'off' || !hasListeners
    ? {}
    : {
        tcp: config.mqttPort,
        tls: config.mqttTlsPort,
        ws: config.mqttWsPort,
        wss: config.mqttWssPort,
      }

/**
 * Brokers that end sessions when a newer secret is confirmed. A broker without hooks stores one
 * password per client and ends sessions when it is set.
 */
const revocableAt = (brokers: Brokers): string[] =>
  brokers
    .present()
    .filter((entry) => entry.admin !== undefined && kindOf(entry).hooks.length > 0)
    .map(({ name }) => name)

function storeOf(parts: MqttParts, authority: CredentialAuthority, usage: UsageMeters) {
  const { config, database: db, feed, clock, hasListeners } = parts
  const { embeddedBroker, mqttDurable } = config
  if (!hasListeners || embeddedBroker === 'off' || mqttDurable === 'off') return undefined
  const warn = warnWith(parts.log)
  const workspaces = mqttDurable === 'all' ? undefined : new StoredWorkspaces({ db, feed, warn })
  return new DurableStore({ db, clock, authority, usage, workspaces, warn })
}

const brokerOf = (parts: MqttParts, authority: CredentialAuthority, usage: UsageMeters) => {
  const { config, certificate, log } = parts
  const broker = createEmbeddedBroker({
    host: config.mqttHost,
    ports: portsOf(parts),
    tls: certificate.present(),
    limits: limitsOf(config),
    store: storeOf(parts, authority, usage),
    log: {
      warn: (details, message) => log('warn', message, { ...details }),
      error: (details, message) => log('error', message, { ...details }),
    },
  })
  certificate.onRenewed((identity) => broker.renewCertificate(identity))
  return broker
}

interface MqttParts extends Pick<Services, 'feed' | 'keyring' | 'clock' | 'nodeId' | 'brokers'> {
  config: Config
  /** Whether MQTT clients connect to this process. */
  hasListeners: boolean
  database: Database
  certificate: Certificate
  /** The limits of a workspace's plan; without it there are none. */
  limitsOf?: LimitsOf | undefined
  domains: DomainDirectory
  /** Called for each refused CONNECT, for the audit log. */
  onConnectRefused?: (request: ConnectRequest, reason: Refusal) => void
  /** Records some of the decisions on CONNECTs. */
  tracer?: Tracer | undefined
  log: Log
}

/** What is written in batches, and what gathers it. */
function createRecords(parts: MqttParts, broker: EmbeddedBroker, registry: SessionRegistry) {
  const { database: db, feed, clock, nodeId, log } = parts
  const presence = createPresence({ db, clock, nodeId })
  const states = new ReportedStates({ db, clock, warn: warnWith(log) })
  const contacts = new PrincipalContacts(db)
  const attempts = new ConnectionAttempts({ db, clock, nodeId })
  const connections = new ConnectionRegister({ db, feed, nodeId, broker, log: warnWith(log) })
  const recorder = new SessionRecorder([
    presenceSubscriber(presence),
    contacts,
    attempts,
    connections,
  ])
  // Other processes may have recorded the sessions of this one as lost.
  presence.onSilence(() => {
    for (const live of registry.all()) connections.opened(live)
    for (const { device, latest } of registry.devices()) presence.opened(latest, device, false)
  })
  return { presence, states, contacts, attempts, connections, recorder }
}

type Records = ReturnType<typeof createRecords>

/** What sends to devices: on the embedded broker, and through bridges on external ones. */
function createSenders(
  parts: MqttParts,
  broker: EmbeddedBroker,
  { presence, states }: Pick<Records, 'presence' | 'states'>,
) {
  const { config, database: db, feed, keyring, clock, nodeId, brokers } = parts
  const warn = warnWith(parts.log)
  const held: HeldBridges = new Map()
  const clientId = `mooring-${keyring.fingerprint().slice(0, 12)}`
  const tails = new TailHub({ db, feed, nodeId, clock, brokers, clientId, openBridge, warn })
  const publisher = tails.watching(createDevicePublisher(broker, held))
  const commands = new CommandDelivery({ db, feed, publisher, log: warn })
  const configs = new ConfigDelivery({ db, feed, clock, publisher, log: warn })
  const bridges = new BrokerBridges({
    db,
    brokers,
    nodeId,
    clientId,
    prefixes: new DevicePrefixes({ db, feed }),
    presence,
    subscribers: [states, commands, configs],
    clock,
    bridges: held,
    open: openBridge,
    warn,
  })
  const listening = config.embeddedBroker === 'on' ? [broker, bridges] : [bridges]
  const messages = new MessageRelay({ db, feed, brokers: [tails.relayed, ...listening], log: warn })
  return { commands, configs, bridges, messages, tails }
}

/** External brokers: their adapters, the decisions for their hooks, and their silent devices. */
function createExternal(
  parts: MqttParts,
  authority: CredentialAuthority,
  externalBrokers: () => string[],
  records: Records & { bridges: BrokerBridges } & Pick<
      ExternalAuthorizerServices,
      'refused' | 'onAdmitted'
    >,
) {
  const { database: db, feed, clock } = parts
  const recheck = new DelayedRecheck({ db, feed, clock, authority, externalBrokers })
  const authorizer = new ExternalAuthorizer({ ...records, authority, clock, recheck })
  const external = new ExternalBrokers({ ...parts, db, authority })
  const silent = new PresenceSweep({
    db,
    feed,
    warn: warnWith(parts.log),
    held: () => records.bridges.held(),
    // Brokers without an admin interface are known only by what their hooks asked.
    present: async (broker, names) =>
      (await external.presentAt(broker, names)) ?? authorizer.lastAt(broker, names),
  })
  return { recheck, authorizer, external, silent }
}

/** What decides a CONNECT, and what it needs to know of plans. */
function createDecisions(parts: MqttParts, registry: SessionRegistry) {
  const { database: db, feed, keyring, clock, nodeId, limitsOf, domains } = parts
  const usage = new UsageMeters({ db, clock, nodeId, limitsOf })
  const devices = new ConnectedDevices({ db, nodeId, limitsOf, usage })
  const externalBrokers = (): string[] => revocableAt(parts.brokers)
  const known = { db, points: db.points, feed, keyring, clock, cachedCredentials, externalBrokers }
  // The first decider that refuses gives the reason.
  const deciders = [decideByHosts(domains), decideByClientId, decideByStatus(clock)]
  const limits = [
    decideByPlan(
      (principalId) => registry.has(principalId),
      (device) => devices.findRefusal(device),
    ),
  ]
  const watch = watchConnects(parts.tracer)
  const authority = new CredentialAuthority({ ...known, deciders, usage, ...(watch && { watch }) })
  return { authority, limits, usage, devices, externalBrokers }
}

export function createMqtt(parts: MqttParts): Mqtt {
  const { feed, clock, nodeId, limitsOf, domains, log } = parts
  const registry = new SessionRegistry()
  const { authority, limits, usage, devices, externalBrokers } = createDecisions(parts, registry)
  const broker = brokerOf(parts, authority, usage)
  const target = createEmbeddedTarget({ nodeId, clock, broker, authority })
  const records = createRecords(parts, broker, registry)
  const { messages, tails, ...senders } = createSenders(parts, broker, records)
  const { commands, configs, bridges } = senders
  const services = { broker, usage, limitsOf, reportedStates: records.states, messageTails: tails }
  const own = { broker, target, usage, disconnects: new DisconnectLog(), counts: new MqttCounts() }
  const { disconnects, counts } = own
  const watched = { broker, registry, target, authority, domains, feed, clock, log: warnWith(log) }
  const onRegranted = commands.regranted.bind(commands)
  const reauthorization = new Reauthorization({ ...watched, onRegranted })
  // Every event of the embedded broker goes to each of them, in this order.
  const subscribers: SessionSubscriber[] = [
    { opened: ({ session }) => authority.noteOpened(session.grant) },
    devices,
    records.recorder,
    tails,
    { published: (device) => records.presence.published(device) },
    records.states,
    commands,
    configs,
    disconnects,
    reauthorization,
    new HostCheck(watched),
    counts,
    { refused: (request, { reason }) => parts.onConnectRefused?.(request, reason) },
  ]
  const events = reportTo(subscribers, { registry, clock, warn: warnWith(log) })
  const { silent, ...outside } = createExternal(parts, authority, externalBrokers, {
    ...records,
    bridges,
    onAdmitted: counts.admitted,
    refused: (request, refusal) => events.refused(request, refusal),
  })
  return {
    services: { ...services, passwordSync: outside.external.passwords },
    ...own,
    ...senders,
    ...records,
    ...outside,
    authority: { ...events, connect: (request) => authority.connect(request, limits) },
    stop: () => {
      for (const each of [reauthorization, commands, configs, records.connections]) each.stop()
      for (const each of [messages, silent, records.states, tails]) each.stop()
    },
  }
}

/** Builds the work on revocation receipts, for this process's broker and external ones. */
export function createReceiptWork(parts: {
  database: Database
  feed: ChangeFeed
  mqtt: Mqtt
  brokers: Brokers
  warn: (message: string, error: unknown) => void
}): ReceiptWork {
  const { database: db, feed, mqtt, brokers, warn } = parts
  const { broker, target, disconnects, connections, external, presence, authorizer } = mqtt
  const work = new ReceiptWork({
    db,
    feed,
    broker,
    target,
    disconnects,
    isEnding: (workspaceId) => connections.isEnding(workspaceId),
    names: () => brokers.present().map(({ name }) => name),
    targets: () => external.present(),
    authorize: authorizer.authorize,
    log: warn,
  })
  presence.onSilence(() => {
    work.revive().catch((error: unknown) => warn('receipts could not be reopened', error))
  })
  return work
}
