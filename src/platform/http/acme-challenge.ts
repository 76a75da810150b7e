/**
 * Serves the proof of ACME `http-01` challenges (RFC 8555 section 8.3). It is outside the API, at
 * the path that authorities request, and may have its own port.
 */
import Fastify, { type FastifyInstance } from 'fastify'
import { Failure } from '../errors/errors.ts'
import type { HttpConnections } from './connections.ts'

const PATH = '/.well-known/acme-challenge/:token'

/** @param proofOf undefined: no order waits for this token */
export const acmeChallengeRoute =
  (proofOf: (token: string) => Promise<string | undefined>) =>
  (app: FastifyInstance): void => {
    app.get<{ Params: { token: string } }>(PATH, async ({ params }, reply) => {
      const proof = await proofOf(params.token)
      if (proof === undefined) throw new Failure('not_found')
      return reply.type('application/octet-stream').send(Buffer.from(proof))
    })
  }

const REQUEST_MS = 10_000

/** A server for challenges only. */
export function createChallengeServer(
  proofOf: (token: string) => Promise<string | undefined>,
  connections: HttpConnections,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    serverFactory: (handler) =>
      connections.createServer(
        { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
        undefined,
        handler,
      ),
    bodyLimit: 1_024,
    routerOptions: { maxParamLength: 200 },
  })
  acmeChallengeRoute(proofOf)(app)
  app.setNotFoundHandler((_request, reply) => reply.code(404).send())
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Failure ? error.status : 503).send(),
  )
  return app
}
