/** Serves the public key of anchors as a JWKS (RFC 7517), for offline verification. */
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { AnchorSigner } from '../../../platform/access/anchor-signer.ts'

const text = Type.String()
const Jwks = Type.Object({
  keys: Type.Array(Type.Object({ kty: text, crv: text, x: text, use: text, alg: text, kid: text })),
})

export const anchorJwksRoute =
  (signer: Pick<AnchorSigner, 'jwks'>) =>
  (app: FastifyInstance): void => {
    app.get('/.well-known/audit-jwks.json', { schema: { response: { 200: Jwks } } }, (_, reply) => {
      void reply.header('cache-control', 'public, max-age=60').type('application/json')
      return reply.send(signer.jwks())
    })
  }
