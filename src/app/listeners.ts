/** The listeners of the API and the operator: their paths, and how they are closed. */
import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { probeSeen, readHookProbe } from '../platform/access/hook-probe.ts'
import { createHookListener, type HookListener } from '../adapters/broker/hooks/hook-listener.ts'
import { brokerKinds } from '../adapters/broker/kinds.ts'
import type { Config } from '../platform/config/config.ts'
import type { RefusalRecorder } from '../features/audit/log/audit-log-refusals.ts'
import { proofOf } from '../features/domains/certificates/acme-order.ts'
import { createRunIdempotent } from '../platform/idempotency/stored-response.ts'
import { listOutbox } from '../features/mail/outbox/outbox.ts'
import { destroyStalled, HttpConnections } from '../platform/http/connections.ts'
import { createOperatorServer, type ProcessMetrics, registryOf } from '../platform/http/operator.ts'
import { serveConsole } from './console-pages.ts'
import { isForOperators } from '../platform/http/operation.ts'
import { createReference } from '../platform/http/reference.ts'
import { createServer, type ServedRequest } from '../platform/http/server.ts'
import {
  acmeChallengeRoute,
  createChallengeServer,
  jwksRoute,
} from '../platform/http/well-known.ts'
import { toJwks } from '../platform/access/signing-keys.ts'
import type { Issuer } from '../features/identity/signing-keys/signing-key.ts'
import { createLog, type Log } from '../platform/log.ts'
import { type AllServices, operations, tags } from '../operations.ts'
import { readConsole } from './console-files.ts'
import type { Auth } from './auth.ts'
import { paymentRoutes } from './billing.ts'
import type { Certificate } from './certificate.ts'
import { hasInstallationArea } from './installation.ts'
import type { Mqtt } from './mqtt.ts'
import { outboxPage } from './outbox-page.ts'
import { apiHostsOf } from './domains.ts'
import { failureLog, warnWith } from './warnings.ts'
import {
  createRequestTimes,
  type MetricParts,
  metricsOf,
  ProblemCounts,
  ownMetricsOf,
  type RequestTimes,
} from './metrics.ts'
import { type Part, WHOLE } from './part.ts'
import { statusOf } from './status.ts'
import type { Tracing } from './tracing.ts'

const DRAIN_MS = 4_000

type Core = Omit<
  MetricParts,
  'dataDir' | 'restarts' | 'isReady' | 'connections' | 'requestTimes' | 'sentProblems'
> & {
  services: AllServices
  access: Auth
  certificate: Certificate
  refusals: RefusalRecorder
  tracing: Tracing
}

export const portOf = (server: FastifyInstance): number => {
  const address = server.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/**
 * Stops accepting connections. `http.Server.close` would also destroy idle connections at once, and
 * with them requests that are already on their way.
 */
const stopListening = ({ server }: FastifyInstance): void =>
  void Server.prototype.close.call(server)

/**
 * Lets running requests finish, within a limit: a body that never arrives must not block shutdown.
 */
async function drain(server: FastifyInstance): Promise<void> {
  const { server: listener } = server
  // Kept-alive connections are closed as soon as they are idle.
  const tidy = setInterval(() => listener.closeIdleConnections(), 100)
  const closeTimer = setTimeout(() => listener.closeAllConnections(), DRAIN_MS)
  await server.close()
  clearInterval(tidy)
  clearTimeout(closeTimer)
}

/**
 * Connections that may wait to be accepted; the kernel lowers it to `net.core.somaxconn`. A broker
 * whose fleet comes back opens thousands to its hooks at once, and takes one that waits for a no.
 */
const BACKLOG = 4_096

/** Whether several sockets can listen on one port; elsewhere the main process has the only one. */
export const SHARES_PORTS = process.platform === 'linux'

interface Listeners {
  http: FastifyInstance
  operator: FastifyInstance
  /** Serves ACME challenges only. */
  challenges: FastifyInstance | undefined
  /** The metrics of this process. */
  metrics: () => Promise<ProcessMetrics>
  /** Stops accepting connections, reports not ready, and closes each after its next response. */
  retire: () => void
}

/** Each on the ports of its part: one process cannot listen where another does. */
export async function openListeners(
  { http, operator, challenges }: Listeners,
  config: Config,
  { kind }: Part,
): Promise<void> {
  const api = { host: config.httpHost, port: config.httpPort, backlog: BACKLOG }
  if (kind === 'whole') await http.listen(api)
  if (kind === 'http') {
    // Each process has a queue of its own, which the system fills in turn. One that is killed
    // resets what waits there, and nobody waits for a process that is gone.
    await http.listen({ ...api, ...(SHARES_PORTS && { exclusive: true, reusePort: true }) })
    return
  }
  const { operatorHost: host, operatorPort: port } = config
  await operator.listen({ host, port, backlog: BACKLOG })
  await challenges?.listen({ host: config.httpHost, port: config.acmeHttpPort ?? 0 })
}

export async function closeListeners({ http, operator, challenges }: Listeners): Promise<void> {
  await Promise.all([drain(http), operator.close(), challenges?.close()])
}

function hooksOf(
  { brokers, keyring, clock, feed, autonomousDb }: AllServices,
  { authorizer, counts }: Mqtt,
  log: Log,
): HookListener {
  const warn = warnWith(log)
  return createHookListener({
    kinds: brokerKinds,
    brokers,
    authority: authorizer,
    faultOf: (username, password) => readHookProbe(keyring, username, password, clock.now()),
    onFault(broker, username) {
      feed
        .announce(autonomousDb, 'hook-probe', probeSeen(broker, username))
        .catch((error: unknown) => warn('a probe of a hook could not be reported', error))
    },
    onDenied: counts.denied,
    warn: (message, fields) => log('warn', message, fields),
  })
}

/** Whether people can enter a card in the form of the payment provider. */
const takesCards = ({ payments }: Pick<AllServices, 'payments'>): boolean =>
  payments.kind === 'charging' && payments.publishableKey !== undefined

/**
 * A line for each response of the API, if the configuration asks for it. Paths hold no secret;
 * queries may, so they are left out.
 */
export function requestLogOf(
  config: Config,
): { onServed: (request: ServedRequest) => void } | undefined {
  if (config.requestLog === 'off') return undefined
  const log = createLog('info', config.logPriority)
  const from = config.requestLog === 'failed' ? 400 : 0
  return {
    onServed: ({ seconds, ...fields }) => {
      if (fields.status < from) return
      log('info', 'request', { ...fields, duration_ms: Math.round(seconds * 1_000) })
    },
  }
}

interface Settings {
  config: Config
  part?: Part
  /** How often an embedded database was started again. */
  restarts?: () => number
  log: Log
}

interface Watched {
  connections: HttpConnections
  requestTimes: RequestTimes
  sentProblems: ProblemCounts
  isEnding: () => boolean
}

function createApi(
  { config, log }: Settings,
  { database, services, access, mqtt, certificate, refusals, tracing }: Core,
  { connections, requestTimes, sentProblems, isEnding }: Watched,
): FastifyInstance {
  const publicKeys = (issuer: Issuer) => () => toJwks(access.signingKeys.keys(issuer))
  return createServer({
    services,
    within: (workspaceId) => ({ ...services, ...database.within(workspaceId) }),
    operations: hasInstallationArea(config)
      ? operations
      : operations.filter((operation) => !isForOperators(operation)),
    authenticate: access.authenticate,
    presentOf: access.presentOf,
    findHost: apiHostsOf(services.domains),
    rateLimits: services.rateLimits,
    clock: services.clock,
    runIdempotent: createRunIdempotent(),
    origin: services.origin,
    countCall: (workspaceId, isLimited) => mqtt.usage.countCall(workspaceId, isLimited),
    onFailure: failureLog(log),
    onRefused: refusals.onRefused,
    onResponse: requestTimes.onResponse,
    onProblem: sentProblems.onProblem,
    ...requestLogOf(config),
    tracer: tracing.tracer,
    isEnding,
    plugins: [
      destroyStalled(),
      jwksRoute('/.well-known/jwks.json', publicKeys('service.console')),
      jwksRoute('/.well-known/moid-jwks.json', publicKeys('service.moid')),
      jwksRoute('/.well-known/audit-jwks.json', () => services.anchorSigner.jwks()),
      createReference(operations, tags),
      serveConsole(config.console === 'on' ? readConsole() : new Map(), takesCards(services)),
      acmeChallengeRoute((token) => proofOf(services, token)),
      ...paymentRoutes(services),
    ],
    trustedProxies: config.trustedProxies,
    tls: certificate.present(),
    connections,
    liveLimits: {
      perProcess: config.streams,
      perWorkspace: config.streamsPerWorkspace,
      perUser: config.streamsPerUser,
    },
  })
}

/** The API, the operator's listener and the one for authorities, before they listen. */
export function createListeners(settings: Settings, core: Core): Listeners {
  const { config, log, part = WHOLE } = settings
  const { services, mqtt } = core
  const requestTimes = createRequestTimes()
  const limits = {
    connections: config.httpConnections,
    connectionsPerAddress: config.httpPerAddress,
  }
  const connections = new HttpConnections(limits, config.trustedProxies)
  let isEnding = false
  const isServing = part.kind === 'main' ? part.isServing : () => true
  const problems = (): string[] => [
    ...(isEnding ? ['the service is stopping'] : []),
    ...(services.feed.isFresh() ? [] : ['the database was not read within the last second']),
    ...(isServing() ? [] : ['no process serves the API']),
  ]
  const watched = { connections, requestTimes, sentProblems: new ProblemCounts() }
  const http = createApi(settings, core, { ...watched, isEnding: () => isEnding })
  const measured = {
    ...core,
    ...watched,
    dataDir: config.dataDir,
    restarts: settings.restarts ?? (() => 0),
    isReady: () => problems().length === 0,
  }
  const registry = registryOf(part.kind === 'http' ? ownMetricsOf(measured) : metricsOf(measured))
  const status = () => statusOf({ ...measured, services, config, problems })
  services.health.provide(status)
  const operator = createOperatorServer({
    problems,
    status,
    bridges: () => Object.fromEntries(mqtt.bridges.problems()),
    registry,
    ...(part.kind === 'main' && { metricsOfOthers: part.metricsOfOthers }),
    localPages: [outboxPage(() => listOutbox(services))],
    front: hooksOf(services, mqtt, log),
  })
  const challenges =
    config.acmeHttpPort === undefined
      ? undefined
      : createChallengeServer(
          (token) => proofOf(services, token),
          new HttpConnections(limits, config.trustedProxies),
        )
  const retire = (): void => {
    isEnding = true
    stopListening(http)
  }
  const metrics = () => registry.getMetricsAsJSON()
  return { http, operator, challenges, metrics, retire }
}
