/** The listeners of the API and the operator: what they serve, and how they are closed. */
import type { FastifyInstance } from 'fastify'
import { readHookProbe } from '../access/hook-probe.ts'
import { createHookListener, type HookListener } from '../broker/hooks/hook-listener.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/connect.ts'
import type { RefusalRecorder } from '../features/audit/audit-log-refusals.ts'
import { anchorJwksRoute } from '../features/audit/jwks.ts'
import { proofOf } from '../features/domain-certificates/acme-challenge.ts'
import { createAnswerOnce } from '../features/idempotency/stored-answer.ts'
import { listOutbox } from '../features/mail/outbox.ts'
import { paymentEventReceiver } from '../features/payments/payment-event-receiver.ts'
import { takeEvent } from '../features/payments/provider-event.ts'
import { jwksRoutes } from '../features/signing-keys/jwks.ts'
import type { UsageMeters } from '../features/usage/usage-meters.ts'
import type { DeliveryEngine } from '../features/webhooks/delivery-engine.ts'
import { createOperatorServer } from '../http/operator.ts'
import { acmeChallengeRoute, createChallengeServer } from '../http/acme-challenge.ts'
import { createReference } from '../http/reference.ts'
import { createServer } from '../http/server.ts'
import type { Log } from '../log.ts'
import { type AllServices, operations, tags } from '../operations.ts'
import type { AccessSide } from './access-side.ts'
import type { Certificate } from './certificate.ts'
import type { DeviceSide } from './device-side.ts'
import { apiHostsOf } from './domain-side.ts'
import { failureLog } from './failure-log.ts'
import { deliveryMetrics } from './webhooks.ts'

const DRAIN_MS = 4_000

interface Core {
  database: Database
  services: AllServices
  access: AccessSide
  device: DeviceSide
  certificate: Certificate
  deliveries: DeliveryEngine
}

export const portOf = (server: FastifyInstance): number => {
  const address = server.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/**
 * Lets running requests finish, within a limit: a body that never arrives must not block shutdown.
 */
async function drain(server: FastifyInstance): Promise<void> {
  const { server: listener } = server
  // Kept-alive connections are closed as soon as they are idle.
  const tidy = setInterval(() => listener.closeIdleConnections(), 100)
  const cut = setTimeout(() => listener.closeAllConnections(), DRAIN_MS)
  await server.close()
  clearInterval(tidy)
  clearTimeout(cut)
}

/** Totals only; figures by workspace are shown to that workspace only. */
const usageGauges = (usage: UsageMeters) => ({
  mooring_usage_messages: {
    help: 'Messages that this process has counted since its start.',
    value: () => usage.totals().messages,
  },
  mooring_usage_bytes: {
    help: 'Bytes of payload that this process has counted since its start.',
    value: () => usage.totals().bytes,
  },
  mooring_usage_api_calls: {
    help: 'Calls of the API that this process has counted since its start.',
    value: () => usage.totals().apiCalls,
  },
  mooring_usage_connected_devices: {
    help: 'Devices that are connected to this process.',
    value: () => usage.connectedDevices(),
  },
})

interface Listeners {
  http: FastifyInstance
  operator: FastifyInstance
  /** Serves ACME challenges only. */
  challenges: FastifyInstance | undefined
}

export async function openListeners(
  { http, operator, challenges }: Listeners,
  config: Config,
): Promise<void> {
  await http.listen({ host: config.httpHost, port: config.httpPort })
  await operator.listen({ host: config.operatorHost, port: config.operatorPort })
  await challenges?.listen({ host: config.httpHost, port: config.acmeHttpPort ?? 0 })
}

export async function closeListeners({ http, operator, challenges }: Listeners): Promise<void> {
  await Promise.all([drain(http), operator.close(), challenges?.close()])
}

const hooksOf = (
  { brokers, keyring, clock }: AllServices,
  { remote }: DeviceSide,
  log: Log,
): HookListener =>
  createHookListener({
    brokers,
    authority: remote,
    disturbanceOf: (username, password) => readHookProbe(keyring, username, password, clock.now()),
    warn: (message, fields) => log('warn', message, fields),
  })

/** Creates the API, the operator listener and the one for ACME challenges, not yet listening. */
export function createListeners(
  { config, log }: { config: Config; log: Log },
  { database, services, access, device, certificate, deliveries }: Core,
  refusals: RefusalRecorder,
): Listeners {
  const proof = (token: string): Promise<string | undefined> => proofOf(services, token)
  const http = createServer({
    services,
    within: (workspaceId) => ({ ...services, ...database.within(workspaceId) }),
    operations,
    authenticate: access.authenticate,
    presentOf: access.presentOf,
    findHost: apiHostsOf(services.domains),
    rateLimits: services.rateLimits,
    answerOnce: createAnswerOnce(),
    origin: services.origin,
    countCall: (workspaceId, isLimited) => device.usage.countCall(workspaceId, isLimited),
    onFailure: failureLog(log),
    onRefused: refusals.onRefused,
    plugins: [
      jwksRoutes(access.signingKeys),
      anchorJwksRoute(services.anchorSigner),
      createReference(operations, tags),
      acmeChallengeRoute(proof),
      ...(services.payments.kind === 'charging'
        ? [paymentEventReceiver((body, signature) => takeEvent(services, body, signature))]
        : []),
    ],
    trustedProxies: config.trustedProxies,
    tls: certificate.present(),
    liveLimits: { perProcess: config.streams, perWorkspace: config.streamsPerWorkspace },
  })
  const operator = createOperatorServer({
    isReady: () => Promise.resolve(services.feed.isFresh()),
    outbox: () => listOutbox(services),
    gauges: {
      mooring_mqtt_sessions: {
        help: 'Live MQTT sessions of this process.',
        value: () => device.broker.connections().length,
      },
      ...usageGauges(device.usage),
      ...deliveryMetrics(deliveries).gauges,
    },
    counters: deliveryMetrics(deliveries).counters,
    front: hooksOf(services, device, log),
  })
  const challenges = config.acmeHttpPort === undefined ? undefined : createChallengeServer(proof)
  return { http, operator, challenges }
}
