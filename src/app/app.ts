/**
 * The composition root: builds the service from a configuration and a migrated database. Only this
 * file and those in app/ know every part.
 */
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { createKeyring, type RenewableKeyring, type RootKeys } from '../platform/access/keyring.ts'
import { createPasswordHasher, type PasswordCost } from '../platform/access/passwords.ts'
import { createAuth } from './auth.ts'
import { type BrokersFile, openBrokersFile } from './brokers-file.ts'
import { type Identity, openCertificate } from './certificate.ts'
import { createClockWatch } from './clock-watch.ts'
import { type DatabaseTimeouts, openDatabase } from './database.ts'
import { createBackground } from './background.ts'
import { createDomains } from './domains.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createHealth, hasInstallationArea, settingsOf } from './installation.ts'
import { closeListeners, createListeners, openListeners, portOf } from './listeners.ts'
import { countLines } from './metrics.ts'
import { createHeartbeat, createMqtt, createReceiptWork, type Mqtt } from './mqtt.ts'
import { mqttPlacesOf } from './mqtt-endpoint.ts'
import { type Part, WHOLE } from './part.ts'
import { billingOf, limitsOfPlans, paymentsOf } from './billing.ts'
import { anchorsOf, createDeliveries, eventsOf } from './events.ts'
import { rateLimitsOf } from './rate-limits.ts'
import { openProviders } from './sso.ts'
import { createTracing, type Tracing } from './tracing.ts'
import { warnWith } from './warnings.ts'
import type { IdentityProvider } from '../adapters/oidc/port.ts'
import type { BrokerPorts } from '../adapters/broker/embedded/listeners.ts'
import type { Config } from '../platform/config/config.ts'
import { createChangeFeed } from '../platform/database/change-feed.ts'
import type { Database } from '../platform/database/connect.ts'
import { createRefusalRecorder } from '../features/audit/log/audit-log-refusals.ts'
import { createChainAppender } from '../features/audit/log/chain-appender.ts'
import { createAuditLogSize } from '../features/audit/log/audit-log-size.ts'
import { createRootKeyWatch } from '../features/workspaces/installation/root-keys.ts'
import { createProvisioningServices } from '../features/fleet/provisioning/templates.ts'
import type { ExamineBroker } from '../features/operator/doctor/doctor-run.ts'
import type { Authenticate } from '../platform/http/gate.ts'
import type { GateOptions } from '../platform/http/gate-hook.ts'
import { type Clock, systemClock } from '../platform/lib/clock.ts'
import { createBacklog } from '../platform/jobs/backlog.ts'
import { newUuid } from '../platform/lib/ids.ts'
import { readVersion } from './project.ts'
import type { Log } from '../platform/log.ts'
import type { ProcessMetrics } from '../platform/http/operator.ts'
import type { AllServices } from '../operations.ts'
import type { WebConsole } from '../context.ts'

function webConsoleOf(
  config: Config,
  origin: () => string,
  version: string,
  providers: readonly IdentityProvider[],
): WebConsole {
  const given = config.consoleUrl?.replace(/(?<!\/)\/+$/, '')
  const hasMail = config.smtpUrl !== undefined
  return {
    version,
    registration: config.registration,
    hasMail,
    sso: providers.map(({ entry: { name, label } }) => ({ name, label })),
    hasInstallation: hasInstallationArea(config),
    showsInvitationLinks:
      config.invitationLinks === 'on' || (config.invitationLinks === 'auto' && !hasMail),
    url: () => given ?? `${origin()}/console`,
  }
}

function consoleOf(
  { config, log, part = WHOLE }: AppOptions,
  origin: () => string,
  version: string,
): Pick<AllServices, 'webConsole' | 'identityProviders' | 'health' | 'settings'> {
  const identityProviders = openProviders(config.ssoFile, log)
  return {
    webConsole: webConsoleOf(config, origin, version, identityProviders),
    identityProviders,
    health: createHealth(config, part),
    settings: settingsOf,
  }
}

export interface AppOptions {
  config: Config
  /** A migrated database in which the role for requests exists. */
  connection: pg.PoolConfig
  /** 32 bytes that decrypt the root keys, from which all other keys are derived. */
  masterKey: Buffer
  /** By default the master key itself. */
  roots?: RootKeys
  /** Whether other processes may share the database. */
  isShared: boolean
  /** The part of the service's work that this process does; all of it by default. */
  part?: Part
  /** How often an embedded database was started again. */
  restarts?: () => number
  /** Examines a broker for an operator; without it, none can be examined in the console. */
  examine?: ExamineBroker
  log: Log
  clock?: Clock
  /** How long to wait for the database; defaults apply if unset. */
  timeouts?: DatabaseTimeouts
  /** The cost of new password hashes; `PASSWORD_COST` by default. */
  passwordCost?: PasswordCost
}

export interface App {
  services: AllServices
  database: Database
  authenticate: Authenticate
  presentOf: GateOptions['presentOf']
  http: FastifyInstance
  /** The ports actually bound. */
  ports: { http: number; operator: number; mqtt: number } & Pick<BrokerPorts, 'ws' | 'wss'>
  /** The listeners of the broker; one that is left out stays closed. */
  mqttPorts: BrokerPorts
  /** The metrics of this process, as prom-client has them. */
  metrics(): Promise<ProcessMetrics>
  /** Stops accepting connections, reports not ready, and closes each after its next response. */
  retire(): void
  /** Lets running requests finish, flushes batches, and closes everything. */
  close(): Promise<void>
}

const localOrigin = ({ tlsCertFile }: Config, port: number): string =>
  `${tlsCertFile === undefined ? 'http' : 'https'}://127.0.0.1:${port}`

/** Asking a socket for its port is a system call, and every request needs to know it. */
const remembered = (find: () => number): (() => number) => {
  let port = 0
  return () => (port ||= find())
}

/** Everything but the HTTP listeners; `httpPort` is only called once they are bound. */
function createCore(options: AppOptions, httpPort: () => number) {
  const { config, log, clock = systemClock, masterKey, isShared, part = WHOLE } = options
  const warn = warnWith(log)
  const database = openDatabase(config, options.connection, log, options.timeouts)
  const keyring = createKeyring(options.roots ?? masterKey)
  const clocks = createClockWatch(log)
  const [nodeId, { autonomousDb }] = [newUuid(), database]
  const version = readVersion()
  const tracing = createTracing(config, { nodeId, version, warn })
  const { tracer } = tracing
  const feed = createChangeFeed({ db: autonomousDb, clock, onClockOffset: clocks.onOffset })
  const certificate = openCertificate(config, { db: database, keyring, feed, clock, warn })
  const brokers = openBrokersFile(config.brokersFile, log)
  const access = createAuth({ config, database, feed, keyring, clock, warn })
  const refusals = createRefusalRecorder({ db: database })
  const origin = (): string => config.origin ?? localOrigin(config, httpPort())
  const parts = { config, database, feed, keyring, clock, nodeId, certificate, brokers, log }
  const shared = { ...parts, tracer, hasListeners: part.kind !== 'http' }
  const named = createDomains({ ...shared, origin })
  const billing = billingOf(config, { db: database, feed })
  const limits = { limitsOf: limitsOfPlans(billing) }
  const mqtt = createMqtt({ ...shared, ...refusals, ...named, ...limits, ...mainBrokerOf(part) })
  const services: AllServices = {
    db: database,
    autonomousDb,
    points: database.points,
    clock,
    keyring,
    feed,
    passwords: createPasswordHasher({ cost: options.passwordCost }),
    consoleTokens: access.consoleTokens,
    moidTokens: access.moidTokens,
    rateLimits: rateLimitsOf(config, database, isShared || part.kind !== 'whole'),
    ...mqtt.services,
    brokers,
    nodeId,
    origin,
    ...named,
    ...mqttPlacesOf({ ...parts, ...placesOf(part, mqtt), origin, domains: named.domains }),
    ...consoleOf(options, origin, version),
    mqttDurable: config.mqttDurable,
    ...createProvisioningServices({ autonomousDb, feed }),
    ...eventsOf(config, database, { dns: named.dns, keyring }),
    ...billing,
    payments: paymentsOf(config),
    ...anchorsOf(config, keyring),
  }
  const made = { database, services, access, mqtt, certificate, brokers, refusals, clocks, tracing }
  return { ...made, ...createWork(options, made, keyring) }
}

interface Made {
  database: Database
  services: AllServices
  mqtt: Mqtt
  brokers: BrokersFile
  tracing: Tracing
}

/** Timers that run by themselves, next to the queue. */
function createWork(
  { config, log, masterKey, isShared }: AppOptions,
  { database: db, services, mqtt, brokers, tracing }: Made,
  keyring: RenewableKeyring,
) {
  const { nodeId, feed } = services
  const warn = warnWith(log)
  const { tracer } = tracing
  const receipts = createReceiptWork({ database: db, feed, mqtt, brokers, warn })
  return {
    receipts,
    heartbeat: createHeartbeat(services, mqtt, receipts, warn),
    deliveries: createDeliveries(config, { db, services, isShared, tracer, warn }),
    backlog: createBacklog(db),
    auditSize: createAuditLogSize(db),
    rootKeys: createRootKeyWatch({ db, keyring, masterKey, nodeId }),
  }
}

/** How a process reaches the states that wait in another one. */
const mainBrokerOf = (part: Part) =>
  part.kind === 'http' ? { settleInMainProcess: part.settleState } : {}

/** The ports of the broker, which is in another process if this one only serves the API. */
const placesOf = (part: Part, mqtt: Mqtt) => ({
  mqtt: part.kind === 'http' ? { ...mqtt, broker: { ports: part.mqttPorts } } : mqtt,
})

/** Starts the service, or the part of it; resolves when it listens on all of its ports. */
export async function startApp(given: AppOptions): Promise<App> {
  const { log, lines, recent } = countLines(given.log)
  const options = { part: WHOLE, ...given, log }
  const [warn, { part }] = [warnWith(log), options]
  const httpPort = remembered(part.kind === 'main' ? part.httpPort : () => portOf(http))
  const core = createCore(options, httpPort)
  const { database, services, access, mqtt, certificate, refusals, receipts } = core
  const { broker, external } = mqtt
  const { feed } = services
  const queue = createBackground(options, core)
  const listeners = createListeners(options, { ...core, lines, recent })
  const { http, retire } = listeners
  const appender = createChainAppender({
    db: database,
    keyring: services.keyring,
    onError: (error) => warn('entries could not be appended to the audit chain', error),
  })
  const housekeeping = createHousekeeping({
    ...core,
    isForAll: part.kind !== 'http',
    db: database,
    queue,
    chainAudit: appender.append,
    flushRefusals: refusals.flush,
    flushKeyUses: access.flushKeyUses,
    closeSerials: () => services.serials.close(),
    warn,
  })
  const renewHttps = http.server as { setSecureContext?: (identity: Identity) => void }
  certificate.onRenewed((identity) => renewHttps.setSecureContext?.(identity))
  const close = async (): Promise<void> => {
    feed.endWaits()
    services.eventWatch.end()
    await closeListeners(listeners)
    mqtt.stop()
    await mqtt.bridges.stop()
    receipts.stop()
    await Promise.all([broker.stop(), external.stop(), queue.stop(), core.deliveries.stop()])
    appender.stop()
    await housekeeping.stop()
    access.signingKeys.stop()
    feed.stop()
    await core.tracing.stop()
    await database.close()
  }
  try {
    await feed.start()
    await Promise.all([access.signingKeys.start(), certificate.start()])
    await core.heartbeat.beat()
    await core.rootKeys.refresh()
    await broker.start(mqtt.authority)
    await openListeners(listeners, options.config, part)
    if (part.kind !== 'http') await queue.start()
  } catch (error) {
    await close()
    throw error
  }
  database.availability.start()
  external.start()
  housekeeping.start()
  const { authenticate, presentOf } = access
  const reached = reachedBy(listeners, httpPort, broker.ports)
  return { services, database, authenticate, presentOf, ...reached, retire, close }
}

function reachedBy(
  { http, operator, metrics }: ReturnType<typeof createListeners>,
  httpPort: () => number,
  mqttPorts: BrokerPorts,
): Pick<App, 'http' | 'ports' | 'mqttPorts' | 'metrics'> {
  const { tcp = 0, ws, wss } = mqttPorts
  const ports = {
    // Known once another process listens, if one does so for this.
    get http() {
      return httpPort()
    },
    operator: portOf(operator),
    mqtt: tcp,
    ws,
    wss,
  }
  return { http, ports, mqttPorts: { ...mqttPorts }, metrics }
}
