/**
 * A second HTTP server on the services of a running one: the real gate and authentication, with
 * other operations behind them.
 */
import type { FastifyInstance } from 'fastify'
import { HttpConnections } from '../../src/platform/http/connections.ts'
import { noRateLimits } from '../../src/platform/http/rate-limit.ts'
import { createServer, type ServerOptions } from '../../src/platform/http/server.ts'
import type { AllServices } from '../../src/operations.ts'
import type { TestApp } from './app.ts'

export type ServiceOperations = ServerOptions<AllServices>['operations']

/** Not listening yet; `inject` works at once. The caller closes it. */
export const secondServer = (
  { app, services }: Pick<TestApp, 'app' | 'services'>,
  operations: ServiceOperations,
  options: Partial<ServerOptions<AllServices>> = {},
): FastifyInstance =>
  createServer({
    services,
    within: (workspaceId) => ({ ...services, ...app.database.within(workspaceId) }),
    operations,
    authenticate: app.authenticate,
    presentOf: app.presentOf,
    rateLimits: noRateLimits,
    clock: services.clock,
    runIdempotent: async (given, _slot, work) => ({ replayed: false, response: await work(given) }),
    origin: services.origin,
    onFailure: () => {},
    onRefused: () => {},
    countCall: () => {},
    plugins: [],
    trustedProxies: [],
    tls: undefined,
    connections: new HttpConnections({ connections: 10_000, connectionsPerAddress: 10_000 }),
    liveLimits: { perProcess: 100, perWorkspace: 100, perUser: 100 },
    ...options,
  })
