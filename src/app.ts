/**
 * The composition root: takes a configuration and a database that is up to date, and puts the
 * service together. Only this file knows every part.
 */
import type { FastifyInstance } from 'fastify'
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible'
import type pg from 'pg'
import { createTokenIssuer } from './access/jwt.ts'
import { createKeyring } from './access/keyring.ts'
import { createPasswordHasher } from './access/passwords.ts'
import { createEmbeddedBroker } from './broker/embedded/broker.ts'
import { type Config, readPem } from './config.ts'
import type { MqttEndpoint } from './context.ts'
import { createChangeFeed } from './database/change-feed.ts'
import { connectDatabase, type Database } from './database/connect.ts'
import {
  createKeyAuthentication,
  looksLikeApiKey,
} from './features/api-keys/api-key-authentication.ts'
import { createRefusalRecorder } from './features/audit/audit-log-refusals.ts'
import { createAuditSealer } from './features/audit/audit-log-sealer.ts'
import { expireClaims } from './features/claims/claim-expiry.ts'
import {
  createDeviceAuthentication,
  looksLikeDeviceToken,
} from './features/device-auth/device-authentication.ts'
import { createSerialSequences } from './features/device-templates/serial-sequence.ts'
import { pruneSignIns } from './features/auth/housekeeping.ts'
import { createAnswerOnce, expireAnswers } from './features/idempotency/stored-answer.ts'
import { createMoidAuthentication } from './features/moid/moid-authentication.ts'
import { expireMoidSessions } from './features/moid/session-expiry.ts'
import { LiveSessions } from './features/mqtt-connections/live-sessions.ts'
import { createPresence } from './features/mqtt-connections/presence.ts'
import { DeviceAuthority } from './features/mqtt-credentials/authority.ts'
import { expireRegistrationAnswers } from './features/provisioning/store.ts'
import { createProvisionTemplates } from './features/provisioning/templates.ts'
import { createUserAuthentication } from './features/sessions/user-authentication.ts'
import { jwksRoutes } from './features/signing-keys/jwks.ts'
import { createSigningKeys } from './features/signing-keys/signing-key.ts'
import { createOperatorServer } from './http/operator.ts'
import type { Authenticate } from './http/gate.ts'
import {
  type CounterFactory,
  createRateLimits,
  type Limits,
  noRateLimits,
  type RateLimits,
} from './http/rate-limit.ts'
import { createReference } from './http/reference.ts'
import { createServer } from './http/server.ts'
import { createTimers } from './jobs/timers.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { newUuid } from './lib/ids.ts'
import { errorFields, type Log } from './log.ts'
import { type AllServices, operations, tags } from './operations.ts'

export interface AppOptions {
  config: Config
  /** A database whose migrations are applied. */
  connection: pg.PoolConfig
  /** 32 bytes that every other key is derived from. */
  masterKey: Buffer
  /** Whether other processes may share the database. */
  isShared: boolean
  log: Log
  clock?: Clock
}

export interface App {
  services: AllServices
  database: Database
  authenticate: Authenticate
  http: FastifyInstance
  /** Ports as they were bound. */
  ports: { http: number; operator: number; mqtt: number }
  /** Lets running requests end, writes what is gathered, and closes everything. */
  close(): Promise<void>
}

const MINUTE = 60
const CACHED_CREDENTIALS = 100_000
/** Milliseconds that a query may take before it is given up. */
const STATEMENT_TIMEOUT_MS = 5_000
const ACQUIRE_TIMEOUT_MS = 2_000
const DRAIN_MS = 4_000

const limitsOf = (config: Config): Limits => ({
  auth: { points: config.limitAuth, seconds: MINUTE },
  read: { points: config.limitRead, seconds: MINUTE },
  write: { points: config.limitWrite, seconds: MINUTE },
  provision: { points: config.limitProvision, seconds: MINUTE },
  safety: { points: config.limitSafety, seconds: MINUTE },
  failures: { points: 100, seconds: MINUTE },
  claim: { points: 5, seconds: 600 },
})

function rateLimitsOf(options: AppOptions, database: Database): RateLimits {
  const { config, isShared } = options
  if (config.rateLimits === 'off') return noRateLimits
  const store = config.rateLimitStore
  const inMemory = store === 'memory' || (store === 'auto' && !isShared)
  const factory: CounterFactory = (name, { points, seconds }) => {
    const settings = { points, duration: seconds, keyPrefix: name }
    if (inMemory) return new RateLimiterMemory(settings)
    return new RateLimiterPostgres({
      ...settings,
      storeClient: database.pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      // A limit must not refuse because its counter is away; the request itself will.
      insuranceLimiter: new RateLimiterMemory(settings),
    })
  }
  return createRateLimits(limitsOf(config), factory)
}

const portOf = (server: FastifyInstance): number => {
  const address = server.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Lets running requests end, but not for ever: one whose body never comes would hold up the stop. */
async function drain(server: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), DRAIN_MS)
  await server.close()
  clearTimeout(cut)
}

/** Starts the whole service; resolves when it listens everywhere. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log, clock = systemClock } = options
  const warn = (message: string, error: unknown): void => log('warn', message, errorFields(error))
  const database = connectDatabase({
    connection: options.connection,
    poolSize: config.databasePoolSize,
    prepared: config.databasePrepared === 'on',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    onError: (error) => warn('a database connection was lost', error),
  })
  const { side, points } = database
  const keyring = createKeyring(options.masterKey)
  const feed = createChangeFeed({ db: side, clock })
  const nodeId = newUuid()
  const signingKeys = createSigningKeys({
    db: side,
    keyring,
    onProblem: (error) => warn('signing keys could not be read', error),
  })
  const timers = createTimers(warn)

  const presence = createPresence({ db: database, clock, nodeId })
  const authority = new DeviceAuthority({
    db: database,
    points,
    feed,
    keyring,
    clock,
    cachedCredentials: CACHED_CREDENTIALS,
  })
  const live = new LiveSessions({ authority, presence, feed, log: warn })
  const broker = createEmbeddedBroker({
    authority: live,
    host: config.mqttHost,
    port: config.mqttPort,
    log: {
      warn: (details, message) => log('warn', message, { ...details }),
      error: (details, message) => log('error', message, { ...details }),
    },
  })
  live.serve(broker)

  const serials = createSerialSequences({ db: side })
  let http: FastifyInstance | undefined
  const origin = (): string =>
    config.origin ??
    `${config.tlsCertFile ? 'https' : 'http'}://127.0.0.1:${http ? portOf(http) : config.httpPort}`
  const mqttEndpoint = (): MqttEndpoint => ({
    host: config.mqttPublicHost ?? new URL(origin()).hostname,
    port: config.mqttPublicPort ?? broker.port,
    tls: config.mqttPublicTls === 'on',
  })
  const services: AllServices = {
    db: database,
    side,
    points,
    clock,
    keyring,
    feed,
    passwords: createPasswordHasher(),
    consoleTokens: createTokenIssuer({
      issuer: 'service.console',
      audience: 'service.console.api',
      typ: 'console-at+jwt',
      keys: () => signingKeys.keys('service.console'),
      clock,
    }),
    moidTokens: createTokenIssuer({
      issuer: 'service.moid',
      audience: 'service.moid.api',
      typ: 'moid-at+jwt',
      keys: () => signingKeys.keys('service.moid'),
      clock,
    }),
    rateLimits: rateLimitsOf(options, database),
    broker,
    nodeId,
    origin,
    mqttEndpoint,
    provisionTemplates: createProvisionTemplates(feed),
    serials,
  }

  const keys = createKeyAuthentication({ db: database, keyring, feed, clock })
  const { consoleTokens: tokens } = services
  const users = createUserAuthentication({ db: database, feed, tokens, signingKeys })
  const moids = createMoidAuthentication({
    db: database,
    feed,
    tokens: services.moidTokens,
    signingKeys,
  })
  const devices = createDeviceAuthentication({ db: database, keyring, feed })
  const authenticate: Authenticate = ({ value }, address) => {
    if (looksLikeApiKey(value)) return keys.authenticate(value, address)
    if (looksLikeDeviceToken(value)) return devices.authenticate(value)
    return users.authenticate(value) ?? moids.authenticate(value)
  }
  const refusals = createRefusalRecorder({ db: database })
  http = createServer({
    services,
    operations,
    authenticate,
    rateLimits: services.rateLimits,
    answerOnce: createAnswerOnce(),
    origin,
    onInternalError: (error, traceId) =>
      log('error', 'a request failed', { trace_id: traceId, ...errorFields(error) }),
    onRefused: refusals.onRefused,
    plugins: [jwksRoutes(signingKeys), createReference(operations, tags)],
    trustedProxies: config.trustedProxies,
    tls:
      config.tlsCertFile && config.tlsKeyFile
        ? {
            cert: readPem(config.tlsCertFile, 'MOORING_TLS_CERT_FILE'),
            key: readPem(config.tlsKeyFile, 'MOORING_TLS_KEY_FILE'),
          }
        : undefined,
  })
  const operator = createOperatorServer({
    isReady: () => Promise.resolve(feed.isFresh()),
    gauges: {
      mooring_mqtt_sessions: {
        help: 'Live MQTT sessions of this process.',
        value: () => broker.connections().length,
      },
    },
  })

  const sealer = createAuditSealer({
    db: database,
    keyring,
    onError: (error) => warn('the audit log could not be sealed', error),
  })
  const server = http
  const close = async (): Promise<void> => {
    feed.endWaits()
    await Promise.all([drain(server), operator.close()])
    live.stop()
    await broker.stop()
    sealer.stop()
    await timers.stop()
    const last = [
      presence.flush(),
      presence.flushContacts(),
      keys.flush(),
      refusals.flush(),
      serials.close(),
    ]
    for (const result of await Promise.allSettled(last)) {
      if (result.status === 'rejected') warn('not everything could be written', result.reason)
    }
    await presence.leave().catch((error: unknown) => warn('the process stays listed', error))
    signingKeys.stop()
    feed.stop()
    await database.close()
  }
  try {
    await feed.start()
    await signingKeys.start()
    await presence.beat()
    await broker.start()
    await http.listen({ host: config.httpHost, port: config.httpPort })
    await operator.listen({ host: config.operatorHost, port: config.operatorPort })
  } catch (error) {
    await close()
    throw error
  }
  timers.every(250, 'writing presence', () => presence.flush())
  timers.every(30_000, 'writing last contacts', () => presence.flushContacts())
  timers.every(5_000, 'the heartbeat', () => presence.beat())
  timers.every(500, 'sealing the audit log', sealer.seal)
  timers.every(1_000, 'writing refusals', refusals.flush)
  timers.every(5_000, 'writing key uses', () => keys.flush())
  timers.every(60_000, 'forgetting old sign-ins', () => pruneSignIns(database))
  timers.every(5_000, 'expiring claims', () => expireClaims(database))
  timers.every(60_000, 'forgetting mobile identities', () => expireMoidSessions(database))
  timers.every(60_000, 'forgetting stored answers', () => expireAnswers(database))
  timers.every(60_000, 'forgetting first answers', () => expireRegistrationAnswers(database))

  return {
    services,
    database,
    authenticate,
    http: server,
    ports: { http: portOf(server), operator: portOf(operator), mqtt: broker.port },
    close,
  }
}
