/**
 * The paths outside the API, below `/.well-known`, where authorities and client libraries look: the
 * proof of ACME `http-01` challenges (RFC 8555 section 8.3), which may have its own port, and
 * public keys as a JWKS (RFC 7517), for verifying signatures offline.
 */
import Fastify, { type FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { PublicJwk } from '../access/signing-keys.ts'
import { Failure } from '../errors/errors.ts'
import type { HttpConnections } from './connections.ts'

const CHALLENGE_PATH = '/.well-known/acme-challenge/:token'

/** @param proofOf undefined: no order waits for this token */
export const acmeChallengeRoute =
  (proofOf: (token: string) => Promise<string | undefined>) =>
  (app: FastifyInstance): void => {
    app.get<{ Params: { token: string } }>(CHALLENGE_PATH, async ({ params }, reply) => {
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

const text = Type.String()
const Jwks = Type.Object({
  keys: Type.Array(Type.Object({ kty: text, crv: text, x: text, use: text, alg: text, kid: text })),
})

/**
 * A minute of caching is short compared to the hours for which a key is published before it signs.
 */
const CACHE_CONTROL = 'public, max-age=60'

/** @param read returns the present keys */
export const jwksRoute =
  (path: `/.well-known/${string}`, read: () => { keys: PublicJwk[] }) =>
  (app: FastifyInstance): void => {
    app.get(path, { schema: { response: { 200: Jwks } } }, (_request, reply) => {
      void reply.header('cache-control', CACHE_CONTROL).type('application/json')
      return reply.send(read())
    })
  }
