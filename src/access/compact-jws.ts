/**
 * The strict grammar of a compact JWS (RFC 7515), read before any cryptography. It takes only what
 * this service writes itself: one spelling of each part, one of each JSON text, and a header of
 * exactly `alg`, `kid` and `typ`.
 */

export const MAX_TOKEN_CHARACTERS = 8192
export const JWS_ALGORITHM = 'EdDSA'

export interface JwsHeader {
  alg: typeof JWS_ALGORITHM
  kid: string
  typ: string
}

export interface CompactJws {
  header: JwsHeader
  /** Still unproven: check the signature before it is parsed. */
  payload: Buffer
  signingInput: Buffer
  signature: Buffer
}

/** Header, payload and the 64 bytes of an Ed25519 signature. */
const SHAPE = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/

/** Undefined for everything but the one spelling of a token with a header of our own kind. */
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

/** Base64url without padding whose unused last bits are zero; undefined for any other text. */
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
 * A JSON object whose bytes are exactly what JSON.stringify writes for it. That leaves no room for
 * a member that stands twice, white space, needless escapes, other spellings of a number, or
 * broken UTF-8. A `__proto__` anywhere is refused, since a later copy could set a prototype by it.
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // Bytes and not texts, since broken UTF-8 reads as a replacement character that could be meant.
  if (!Buffer.from(canonical, 'utf8').equals(bytes)) return undefined
  return value as Record<string, unknown>
}
