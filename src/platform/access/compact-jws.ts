/**
 * Parses compact JWS (RFC 7515) strictly, before any cryptography. Accepts only what this service
 * itself produces: one encoding of each part, canonical JSON, and a header of exactly `alg`, `kid`
 * and `typ`.
 */
import { isJsonObject } from '../lib/json.ts'

export const MAX_TOKEN_CHARACTERS = 8192
export const JWS_ALGORITHM = 'EdDSA'

export interface JwsHeader {
  alg: typeof JWS_ALGORITHM
  kid: string
  typ: string
}

export interface CompactJws {
  header: JwsHeader
  /** Unverified: check the signature before parsing it. */
  payload: Buffer
  signingInput: Buffer
  signature: Buffer
}

/** Header, payload and the 64 bytes of an Ed25519 signature. */
const SHAPE = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/

/** Undefined for anything but the canonical encoding of a token with one of our headers. */
export function readCompactJws(token: string): CompactJws | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS) return undefined
  const [, ...parts] = SHAPE.exec(token) ?? []
  const [headerBytes, payload, signature] = parts.map(decodeBase64url)
  if (headerBytes === undefined || payload === undefined || signature === undefined) {
    return undefined
  }
  const header = readHeader(headerBytes)
  if (header === undefined) return undefined
  return {
    header,
    payload,
    signature,
    signingInput: Buffer.from(token.slice(0, token.lastIndexOf('.'))),
  }
}

/** Decodes unpadded base64url with zero trailing bits; undefined for any other text. */
function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

function readHeader(bytes: Buffer): JwsHeader | undefined {
  const header = parseCanonicalObject(bytes)
  if (header === undefined || Object.keys(header).length !== 3) return undefined
  const { alg, kid, typ } = header
  if (alg !== JWS_ALGORITHM || typeof kid !== 'string' || typeof typ !== 'string') return undefined
  return { alg, kid, typ }
}

/**
 * Parses a JSON object whose bytes equal what JSON.stringify would produce. This excludes duplicate
 * members, white space, needless escapes, other number formats and invalid UTF-8. `__proto__`
 * anywhere is refused, since copying it later could set a prototype.
 */
export function parseCanonicalObject(bytes: Buffer): Record<string, unknown> | undefined {
  const text = bytes.toString('utf8')
  if (text.includes('__proto__')) return undefined
  let value: unknown
  let canonical: string
  try {
    value = JSON.parse(text)
    canonical = JSON.stringify(value)
  } catch {
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  // Compares bytes, since invalid UTF-8 decodes to a replacement character that might be genuine.
  if (!Buffer.from(canonical, 'utf8').equals(bytes)) return undefined
  return value
}
