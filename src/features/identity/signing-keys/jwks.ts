/**
 * Serves the public keys as JWKS (RFC 7517), for verifying our tokens offline. Outside the API,
 * because client libraries look below `/.well-known`.
 */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { toJwks } from '../../../platform/access/signing-keys.ts'
import type { Issuer, SigningKeys } from './signing-key.ts'

const paths: Readonly<Record<string, Issuer>> = {
  '/.well-known/jwks.json': 'service.console',
  '/.well-known/moid-jwks.json': 'service.moid',
}

const text = Type.String()
const Jwks = Type.Object({
  keys: Type.Array(Type.Object({ kty: text, crv: text, x: text, use: text, alg: text, kid: text })),
})

/**
 * A minute of caching is short compared to the hours for which a key is published before it signs.
 */
const CACHE_CONTROL = 'public, max-age=60'

/** Serves both key sets, one per issuer; they share no key. */
export const jwksRoutes =
  (signingKeys: Pick<SigningKeys, 'keys'>) =>
  (app: FastifyInstance): void => {
    for (const [path, issuer] of Object.entries(paths)) {
      app.get(path, { schema: { response: { 200: Jwks } } }, (_request, reply) => {
        void reply.header('cache-control', CACHE_CONTROL).type('application/json')
        return reply.send(toJwks(signingKeys.keys(issuer)))
      })
    }
  }
