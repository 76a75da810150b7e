/**
 * Access tokens: Ed25519 JWTs (RFC 7519, RFC 8037, `alg` EdDSA) of one issuer. Signing and
 * verifying are synchronous, so that they never queue behind password hashing in the thread pool.
 */
import { sign as signBytes, verify as verifyBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import { takeRandomBytes } from '../lib/random.ts'
import {
  JWS_ALGORITHM,
  MAX_TOKEN_CHARACTERS,
  parseCanonicalObject,
  readCompactJws,
} from './compact-jws.ts'
import type { SigningKey, SigningKeySet } from './signing-keys.ts'

export * from './signing-keys.ts'

export type TokenType = 'console-at+jwt' | 'moid-at+jwt'

/** Allowed clock skew for `iat` and `nbf`. */
const FUTURE_LEEWAY_SECONDS = 60
export const MAX_LIFETIME_SECONDS = 86_400
/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799
const CACHED_CHARACTERS = 8 * 1024 * 1024

/** The claims of a valid token. Frozen, since requests with the same token share them. */
export interface Claims {
  readonly iss: string
  readonly aud: string
  /** The subject. */
  readonly sub: string
  /** The session. */
  readonly sid: string
  /** Unique for each token. */
  readonly jti: string
  /** Seconds since the Unix epoch. */
  readonly iat: number
  /** Seconds since the Unix epoch; the token is invalid from this second on. */
  readonly exp: number
  readonly nbf?: number
  readonly [claim: string]: unknown
}

/** Claims given to `sign`; a missing `jti` is generated. */
export interface NewClaims {
  sub: string
  sid: string
  jti?: string
  iss?: never
  aud?: never
  iat?: never
  exp?: never
  nbf?: never
  [claim: string]: unknown
}

export interface TokenIssuerOptions {
  /** `iss`, compared literally. */
  issuer: string
  /** `aud`, compared literally; a list is refused. */
  audience: string
  /** The header's `typ`. */
  typ: TokenType
  /** The issuer's current keys; called each time, so that a removed key is refused at once. */
  keys: () => SigningKeySet
  clock: Clock
}

export interface TokenIssuer {
  /**
   * Signs a token that expires after 1 to 86,400 seconds. Throws Error if no key is active, and
   * RangeError for a lifetime, claim or length that `verify` would refuse.
   */
  sign: (claims: NewClaims, lifetimeSeconds: number) => string
  /** The claims, or undefined for any token that this issuer would not sign now. */
  verify: (token: string) => Claims | undefined
}

export function createTokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  const { keys, clock, typ } = options
  const cache = new LRUCache<string, { claims: Claims; key: SigningKey }>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (_value, token) => token.length,
  })

  const fromCache = (token: string): Claims | undefined => {
    const cached = cache.get(token)
    if (cached === undefined) return undefined
    const key = keys().find(({ kid }) => kid === cached.key.kid)
    const stillGood =
      key !== undefined && isSameKey(key, cached.key) && isInTime(cached.claims, clock.now())
    if (stillGood) return cached.claims
    cache.delete(token)
    return undefined
  }

  return {
    sign: (claims, lifetimeSeconds) => signToken(options, claims, lifetimeSeconds),
    verify: (token) => {
      const known = fromCache(token)
      if (known !== undefined) return known
      const jws = readCompactJws(token)
      if (jws === undefined || jws.header.typ !== typ) return undefined
      const key = keys().find(({ kid }) => kid === jws.header.kid)
      if (key === undefined) return undefined
      if (!verifyBytes(null, jws.signingInput, key.publicKey, jws.signature)) return undefined
      const claims = readClaims(options, parseCanonicalObject(jws.payload))
      if (claims === undefined || !isInTime(claims, clock.now())) return undefined
      cache.set(token, { claims: deepFreeze(claims), key })
      return claims
    },
  }
}

function signToken(
  options: TokenIssuerOptions,
  claims: NewClaims,
  lifetimeSeconds: number,
): string {
  const { issuer, audience, typ, keys, clock } = options
  if (!Number.isInteger(lifetimeSeconds)) throw new RangeError('a lifetime is in whole seconds')
  const key = keys().find(({ state }) => state === 'active')
  if (key?.privateKey === undefined) throw new Error(`no active signing key for ${issuer}`)
  const iat = Math.floor(clock.now() / 1000)
  const exp = iat + lifetimeSeconds
  const jti = claims.jti ?? takeRandomBytes(16).toString('base64url')
  const header = toBytes({ alg: JWS_ALGORITHM, kid: key.kid, typ })
  const payload = toBytes({ ...claims, iss: issuer, aud: audience, jti, iat, exp })
  // Verified immediately: a token that `verify` would refuse is a bug to report here.
  if (readClaims(options, parseCanonicalObject(payload)) === undefined) {
    throw new RangeError('a claim or the lifetime is one that `verify` refuses')
  }
  const signingInput = `${header.toString('base64url')}.${payload.toString('base64url')}`
  const signature = signBytes(null, Buffer.from(signingInput), key.privateKey)
  const token = `${signingInput}.${signature.toString('base64url')}`
  if (token.length > MAX_TOKEN_CHARACTERS) throw new RangeError('the claims make too long a token')
  return token
}

const toBytes = (value: Record<string, unknown>): Buffer => Buffer.from(JSON.stringify(value))

function readClaims(
  { issuer, audience }: TokenIssuerOptions,
  payload: Record<string, unknown> | undefined,
): Claims | undefined {
  if (payload === undefined) return undefined
  const { iss, aud, sub, sid, jti, iat, exp, nbf } = payload
  if (iss !== issuer || aud !== audience) return undefined
  if (!isName(sub) || !isName(sid) || !isName(jti)) return undefined
  if (!isSecond(iat) || !isSecond(exp)) return undefined
  if (exp <= iat || exp - iat > MAX_LIFETIME_SECONDS) return undefined
  if (nbf === undefined) return { ...payload, iss, aud, sub, sid, jti, iat, exp }
  if (!isSecond(nbf)) return undefined
  return { ...payload, iss, aud, sub, sid, jti, iat, exp, nbf }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.length > 0

const isSecond = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LAST_SECOND

function isInTime({ iat, exp, nbf }: Claims, nowMs: number): boolean {
  const latestStart = nowMs / 1000 + FUTURE_LEEWAY_SECONDS
  return exp * 1000 > nowMs && iat <= latestStart && (nbf === undefined || nbf <= latestStart)
}

const isSameKey = (a: SigningKey, b: SigningKey): boolean =>
  a === b || a.publicKey.equals(b.publicKey)

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
