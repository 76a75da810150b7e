/**
 * Serves public keys as a JWKS (RFC 7517), for verifying signatures offline. Outside the API,
 * because client libraries look below `/.well-known`.
 */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { PublicJwk } from '../access/signing-keys.ts'

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
