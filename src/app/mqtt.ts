/**
 * Builds everything behind the MQTT port. Three lists are made here: the deciders of a CONNECT and
 * of all that may stay connected, the subscribers to what brokers report, embedded or external, and
 * those that are notified when this process was silent.
 */
import { openBridge } from '../adapters/broker/bridge/bridge.ts'
import type { Brokers } from '../adapters/broker/broker-entry.ts'
import type { EmbeddedBroker } from '../adapters/broker/embedded/broker.ts'
import { kindOf } from '../adapters/broker/kinds.ts'
import type { RemoteAuthority } from '../adapters/broker/external-port.ts'
import type { BrokerAuthority, ConnectRequest, Refusal } from '../adapters/broker/port.ts'
import type { Services } from '../context.ts'
import { CommandDelivery } from '../features/devices/commands/command-delivery.ts'
import { ConfigDelivery } from '../features/devices/config/config-delivery.ts'
import type { DomainDirectory } from '../features/domains/ownership/directory.ts'
import { ConnectedDevices } from '../features/metering/usage/connected-devices.ts'
import type { LimitsOf } from '../features/metering/usage/limits.ts'
import { UsageMeters } from '../features/metering/usage/usage-meters.ts'
import {
  BrokerBridges,
  createDevicePublisher,
  type HeldBridges,
} from '../features/mqtt/bridges/broker-bridges.ts'
import { DevicePrefixes } from '../features/mqtt/bridges/device-prefixes.ts'
import { LastBrokers, PresenceSweep } from '../features/mqtt/bridges/presence-sweep.ts'
import { ConnectionAttempts } from '../features/mqtt/connection-log/attempts.ts'
import { CredentialAuthority } from '../features/mqtt/credentials/authority.ts'
import {
  decideByAge,
  decideByClientId,
  decideByHosts,
  decideByPlan,
  decideByStatus,
} from '../features/mqtt/credentials/deciders.ts'
import { MessageRelay } from '../features/mqtt/messages/message-relay.ts'
import { TailHub } from '../features/mqtt/messages/tail-hub.ts'
import { ConnectionRegister } from '../features/mqtt/sessions/connection-register.ts'
import { DelayedRecheck } from '../features/mqtt/sessions/delayed-recheck.ts'
import {
  DisconnectLog,
  reportTo,
  type SessionSubscriber,
} from '../features/mqtt/sessions/session-events.ts'
import { createEmbeddedTarget } from '../features/mqtt/sessions/embedded-target.ts'
import { Heartbeat } from '../features/mqtt/sessions/heartbeat.ts'
import { HostCheck } from '../features/mqtt/sessions/host-check.ts'
import {
  Presence,
  presenceOfMessages,
  presenceOfSessions,
} from '../features/mqtt/sessions/presence.ts'
import { PrincipalContacts } from '../features/mqtt/sessions/principal-contacts.ts'
import {
  Reauthorization,
  type ReauthorizationServices,
} from '../features/mqtt/sessions/reauthorization.ts'
import { ReportedStates } from '../features/mqtt/sessions/reported-states.ts'
import { SessionRecorder } from '../features/mqtt/sessions/session-recorder.ts'
import { type LiveSession, SessionRegistry } from '../features/mqtt/sessions/session-registry.ts'
import type { ChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import { brokerOf, type EmbeddedBrokerParts } from './embedded-broker.ts'
import { ExternalBrokers } from './external-brokers.ts'
import type { Tracer } from '../platform/trace/tracer.ts'
import { watchConnects } from './tracing.ts'
import { MqttCounts } from './mqtt-counts.ts'
import { warnWith } from './warnings.ts'
import { ReceiptWork } from '../features/mqtt/revocation/receipt-work.ts'

const cachedCredentials = 100_000

export type Mqtt = ReturnType<typeof createMqtt>

/**
 * Brokers that end sessions when a newer secret is confirmed. A broker without hooks stores one
 * password per client and ends sessions when it is set.
 */
const revocableAt = (brokers: Brokers): string[] =>
  brokers
    .present()
    .filter((entry) => entry.admin !== undefined && kindOf(entry).hooks.length > 0)
    .map(({ name }) => name)

interface MqttParts
  extends EmbeddedBrokerParts,
    Pick<Services, 'feed' | 'keyring' | 'clock' | 'nodeId' | 'brokers'> {
  /** The limits of a workspace's plan; without it there are none. */
  limitsOf?: LimitsOf | undefined
  domains: DomainDirectory
  /** Called for each refused CONNECT, for the audit log. */
  onConnectRefused?: (request: ConnectRequest, reason: Refusal) => void
  /** Records some of the decisions on CONNECTs. */
  tracer?: Tracer | undefined
  /** Writes the state of a device that waits in the process with the broker, if this is another. */
  settleInMainProcess?: ((deviceId: string) => Promise<void>) | undefined
}

/** Logs the error of a subscriber to sessions. */
const failedWith =
  (log: MqttParts['log']) =>
  (error: unknown): void =>
    warnWith(log)('a subscriber to sessions could not handle an event', error)

/** Writes that are batched, and the batchers that gather them. */
function createRecords(parts: MqttParts, broker: EmbeddedBroker, registry: SessionRegistry) {
  const { database: db, feed, clock, nodeId, log, settleInMainProcess } = parts
  const presence = new Presence({ db, clock, nodeId })
  const states = new ReportedStates({ db, clock, warn: warnWith(log), settleInMainProcess })
  const contacts = new PrincipalContacts(db)
  const attempts = new ConnectionAttempts({ db, clock, nodeId })
  const connections = new ConnectionRegister({ db, feed, nodeId, broker, log: warnWith(log) })
  const recorder = new SessionRecorder(
    [presenceOfSessions(presence), contacts, attempts, connections],
    failedWith(log),
  )
  /** For when other processes may have recorded the sessions of this one as lost. */
  const reportAgain = (): void => {
    for (const live of registry.all()) connections.opened(live)
    for (const { device, latest } of registry.devices()) presence.opened(latest, device, false)
  }
  return { presence, states, contacts, attempts, connections, recorder, reportAgain }
}

type Records = ReturnType<typeof createRecords>

/** The senders to devices: on the embedded broker, and through bridges on external ones. */
function createSenders(parts: MqttParts, broker: EmbeddedBroker) {
  const { database: db, feed, keyring, clock, nodeId, brokers } = parts
  const warn = warnWith(parts.log)
  const held: HeldBridges = new Map()
  const clientId = `mooring-${keyring.fingerprint().slice(0, 12)}`
  const tails = new TailHub({ db, feed, nodeId, clock, brokers, clientId, openBridge, warn })
  const publisher = tails.watching(createDevicePublisher(broker, held))
  const commands = new CommandDelivery({ db, feed, publisher, log: warn })
  const configs = new ConfigDelivery({ db, feed, clock, publisher, log: warn })
  return { commands, configs, tails, held, clientId }
}

/** External brokers: their adapters, their bridges and the silent devices there. */
function createExternal(
  parts: MqttParts,
  authority: CredentialAuthority,
  links: Pick<ReturnType<typeof createSenders>, 'held' | 'clientId'>,
  { subscribers, lastBrokers }: ReturnType<typeof createSubscribers>,
) {
  const { database: db, feed, clock, nodeId, brokers } = parts
  const warn = warnWith(parts.log)
  const external = new ExternalBrokers({ ...parts, db, authority })
  const bridges = new BrokerBridges({
    db,
    brokers,
    nodeId,
    clientId: links.clientId,
    prefixes: new DevicePrefixes({ db, feed }),
    subscribers,
    clock,
    bridges: links.held,
    open: openBridge,
    warn,
  })
  const silent = new PresenceSweep({
    db,
    feed,
    warn,
    held: () => bridges.held(),
    // Brokers without an admin interface are known only by what their hooks asked.
    present: async (broker, names) =>
      (await external.presentAt(broker, names)) ?? lastBrokers.lastAt(broker, names),
  })
  return { bridges, external, silent }
}

/** The decision about a CONNECT, and the limits of plans that it needs. */
function createDecisions(parts: MqttParts, registry: SessionRegistry) {
  const { database: db, feed, keyring, clock, nodeId, limitsOf, domains } = parts
  const usage = new UsageMeters({ db, clock, nodeId, limitsOf })
  const devices = new ConnectedDevices({ db, nodeId, limitsOf, usage })
  const externalBrokers = (): string[] => revocableAt(parts.brokers)
  const known = { db, points: db.points, feed, keyring, clock, cachedCredentials, externalBrokers }
  const byHosts = decideByHosts(domains)
  // The first decider that refuses gives the reason.
  const deciders = [byHosts, decideByClientId, decideByStatus(clock), decideByAge]
  const limits = [
    decideByPlan(
      (principalId) => registry.has(principalId),
      (device) => devices.findRefusal(device),
    ),
  ]
  const watch = watchConnects(parts.tracer)
  const deciding = { deciders, limits, warn: warnWith(parts.log), ...(watch && { watch }) }
  const authority = new CredentialAuthority({ ...known, ...deciding, usage })
  const recheck = new DelayedRecheck({ db, feed, authority, externalBrokers })
  return { authority, byHosts, recheck, usage, devices }
}

/** Everything that a broker reports, embedded or external, goes to each of them, in this order. */
function createSubscribers(
  parts: MqttParts,
  { authority, byHosts, recheck, devices }: ReturnType<typeof createDecisions>,
  { recorder, presence, states }: Records,
  { tails, commands, configs }: ReturnType<typeof createSenders>,
  watched: Pick<ReauthorizationServices, 'broker' | 'registry' | 'target'>,
) {
  const { domains, feed, clock, log } = parts
  const disconnects = new DisconnectLog()
  const counts = new MqttCounts()
  const lastBrokers = new LastBrokers()
  const known = { ...watched, authority, domains, decide: byHosts, feed, clock, log: warnWith(log) }
  const onRegranted = commands.regranted.bind(commands)
  const reauthorization = new Reauthorization({ ...known, onRegranted })
  const noteOpened = ({ session }: LiveSession): void => authority.noteOpened(session.grant)
  const subscribers: SessionSubscriber[] = [
    devices,
    recorder,
    tails,
    presenceOfMessages(presence),
    states,
    commands,
    configs,
    disconnects,
    reauthorization,
    recheck,
    lastBrokers,
    new HostCheck(known),
    counts,
    { refused: (request, { reason }) => parts.onConnectRefused?.(request, reason) },
    { opened: noteOpened, admitted: noteOpened },
  ]
  return { subscribers, disconnects, counts, lastBrokers, reauthorization }
}

/** The functions that decide for brokers, and receive their events. */
function authoritiesOf(events: ReturnType<typeof reportTo>, authority: CredentialAuthority) {
  const connect: BrokerAuthority['connect'] = (request) => authority.connect(request)
  return {
    /** For the embedded broker; give it to `broker.start`. */
    authority: { ...events, connect } satisfies BrokerAuthority,
    /** For external brokers that ask through hooks. */
    authorizer: {
      ...events,
      connect,
      authorize: (username, clientId) => authority.authorize(username, clientId),
      stillGives: (grant) => authority.stillGives(grant),
    } satisfies RemoteAuthority,
  }
}

export function createMqtt(parts: MqttParts) {
  const { config, database: db, feed, clock, nodeId, limitsOf, log } = parts
  const registry = new SessionRegistry()
  const decisions = createDecisions(parts, registry)
  const { authority, usage, recheck } = decisions
  const broker = brokerOf(parts, authority, usage)
  const target = createEmbeddedTarget({ nodeId, broker, authority })
  const records = createRecords(parts, broker, registry)
  const senders = createSenders(parts, broker)
  const { commands, configs, tails } = senders
  const watched = { broker, registry, target }
  const listening = createSubscribers(parts, decisions, records, senders, watched)
  const { subscribers, reauthorization, disconnects, counts } = listening
  const events = reportTo(subscribers, { registry, clock, failed: failedWith(log) })
  const { bridges, external, silent } = createExternal(parts, authority, senders, listening)
  const relays = config.embeddedBroker === 'on' ? [broker, bridges] : [bridges]
  const warn = warnWith(log)
  const messages = new MessageRelay({ db, feed, brokers: [tails.relayed, ...relays], log: warn })
  return {
    /** The parts of MQTT that features may use. */
    services: {
      broker,
      usage,
      limitsOf,
      reportedStates: records.states,
      messageTails: tails,
      mqttAuthority: authority,
      passwordSync: external.passwords,
    },
    broker,
    /** This process's broker as the target of revocations. */
    target,
    usage,
    ...records,
    commands,
    configs,
    disconnects,
    counts,
    recheck,
    bridges,
    external,
    ...authoritiesOf(events, authority),
    /** Ends all reactions to changes; the brokers are stopped separately. */
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
  const { broker, target, disconnects, connections, external, authorizer } = mqtt
  return new ReceiptWork({
    db,
    feed,
    broker,
    target,
    disconnects,
    isEnding: (workspaceId) => connections.isEnding(workspaceId),
    names: () => brokers.present().map(({ name }) => name),
    targets: () => external.present(),
    authorize: (username, clientId) => authorizer.authorize(username, clientId),
    log: warn,
  })
}

/** The heartbeat of this process, and the list of those that it notifies after a silence. */
export const createHeartbeat = (
  services: Pick<Services, 'db' | 'clock' | 'nodeId'>,
  mqtt: Mqtt,
  receipts: ReceiptWork,
  warn: (message: string, error: unknown) => void,
): Heartbeat =>
  new Heartbeat(services, [
    mqtt.reportAgain,
    () =>
      void receipts
        .revive()
        .catch((error: unknown) => warn('receipts could not be reopened', error)),
  ])
