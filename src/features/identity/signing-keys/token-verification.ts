/**
 * Verifies access tokens, including those signed by another process with a key that is new here.
 */
import { readCompactJws } from '../../../platform/access/compact-jws.ts'
import type { Claims, TokenIssuer, TokenType } from '../../../platform/access/jwt.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import type { Issuer, SigningKeys } from './signing-key.ts'

const types: Readonly<Record<Issuer, TokenType>> = {
  'service.console': 'console-at+jwt',
  'service.moid': 'moid-at+jwt',
}

/**
 * The claims; undefined for any token that the issuer would not sign now. Synchronous unless the
 * token names a key that this process does not know.
 */
export function verifyAccessToken(
  tokens: TokenIssuer,
  signingKeys: Pick<SigningKeys, 'keys' | 'learn'>,
  issuer: Issuer,
  token: string,
): MaybePromise<Claims | undefined> {
  const claims = tokens.verify(token)
  if (claims !== undefined) return claims
  const header = readCompactJws(token)?.header
  if (header === undefined || header.typ !== types[issuer]) return undefined
  if (signingKeys.keys(issuer).some(({ kid }) => kid === header.kid)) return undefined
  return signingKeys
    .learn(issuer, header.kid)
    .then((known) => (known ? tokens.verify(token) : undefined))
}
