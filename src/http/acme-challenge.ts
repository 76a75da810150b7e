/**
 * Answers an authority that looks for the proof of `http-01` (RFC 8555 section 8.3). It stands
 * outside of the API, at the one path that authorities ask, and may have a port of its own.
 */
import Fastify, { type FastifyInstance } from 'fastify'
import { Failure } from '../errors.ts'

const PATH = '/.well-known/acme-challenge/:token'

/** @param proofOf undefined: nobody is asked for this token. */
export const acmeChallengeRoute =
  (proofOf: (token: string) => Promise<string | undefined>) =>
  (app: FastifyInstance): void => {
    app.get<{ Params: { token: string } }>(PATH, async ({ params }, reply) => {
      const proof = await proofOf(params.token)
      if (proof === undefined) throw new Failure('not_found')
      return reply.type('application/octet-stream').send(Buffer.from(proof))
    })
  }

/** A server that answers nothing else. */
export function createChallengeServer(
  proofOf: (token: string) => Promise<string | undefined>,
): FastifyInstance {
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    requestTimeout: 10_000,
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
