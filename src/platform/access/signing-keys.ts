/**
 * The Ed25519 keys that sign access tokens: generated, stored encrypted, and published as a JWKS.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** `next` is published but does not sign yet; `retired` no longer signs but still verifies. */
export type SigningKeyState = 'next' | 'active' | 'retired'

export interface SigningKey {
  /** The key's RFC 7638 thumbprint: 43 characters of base64url. */
  kid: string
  /** Absent if the key only verifies. */
  privateKey?: KeyObject
  publicKey: KeyObject
  state: SigningKeyState
}

/** The keys of one issuer. Exactly one is active while tokens are signed. */
export type SigningKeySet = readonly SigningKey[]

/** One public key of RFC 8037, section 2. */
export interface PublicJwk {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  use: 'sig'
  alg: 'EdDSA'
  kid: string
}

/** A new key pair in the state `next`. */
export function newSigningKey(): SigningKey & { privateKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { kid: thumbprint(publicKey), privateKey, publicKey, state: 'next' }
}

/** The RFC 7638 thumbprint (SHA-256, base64url) of an Ed25519 public key. */
export function thumbprint(publicKey: KeyObject): string {
  const canonical = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x: coordinate(publicKey) })
  return createHash('sha256').update(canonical).digest('base64url')
}

function coordinate(publicKey: KeyObject): string {
  const { crv, x } = publicKey.export({ format: 'jwk' })
  if (crv !== 'Ed25519' || x === undefined) throw new TypeError('not an Ed25519 key')
  return x
}

/** The context that a private key is bound to. */
export const rowOf = (issuer: string, kid: string): string => `signing-key:${kid}:${issuer}`

/** The private key, encrypted for the database and bound to its issuer and kid. */
export function exportEncrypted(keyring: Keyring, issuer: string, key: SigningKey): Buffer {
  if (key.privateKey === undefined) throw new TypeError(`key ${key.kid} has no private part`)
  const plaintext = key.privateKey.export({ format: 'der', type: 'pkcs8' })
  return keyring.encrypt(plaintext, rowOf(issuer, key.kid))
}

/**
 * The decrypted key; undefined if it was encrypted for another issuer or kid, or under another
 * master key, or was altered. A retired key has no private part.
 */
export function importEncrypted(
  keyring: Keyring,
  issuer: string,
  row: { kid: string; state: SigningKeyState; sealed: Uint8Array },
): SigningKey | undefined {
  const { kid, state } = row
  const plaintext = keyring.decrypt(row.sealed, rowOf(issuer, kid))
  if (plaintext === undefined) return undefined
  const privateKey = createPrivateKey({ key: plaintext, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  if (thumbprint(publicKey) !== kid) return undefined
  return state === 'retired' ? { kid, publicKey, state } : { kid, privateKey, publicKey, state }
}

/** The document of `/.well-known/jwks.json` and its sister: public parts only, of every state. */
export function toJwks(keys: SigningKeySet): { keys: PublicJwk[] } {
  return {
    keys: keys.map(({ kid, publicKey }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: coordinate(publicKey),
      use: 'sig',
      alg: 'EdDSA',
      kid,
    })),
  }
}
