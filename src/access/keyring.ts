/**
 * All keys of the service, derived from one master key. Each purpose has its own key (HKDF, RFC
 * 5869, with a label), so that leaking one compromises no other.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { takeRandomBytes } from '../lib/random.ts'

export const MASTER_KEY_BYTES = 32

/** Version of the format and of the key derivation. A rotation of the master key adds one. */
const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Cached keys derived from credentials, a few hundred bytes each. */
const MAX_CREDENTIAL_KEYS = 1_000
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES

export interface Keyring {
  /** The stored form of a generated secret: HMAC-SHA-256, 32 bytes. */
  hashSecret: (secret: string) => Buffer
  /**
   * HMAC-SHA-256 over the parts, 32 bytes. The label is a constant that selects the key. Parts are
   * length-prefixed: `('a', 'bc')` and `('ab', 'c')` differ.
   */
  mac: (label: string, ...parts: (string | Uint8Array)[]) => Buffer
  /**
   * Encrypts with AES-256-GCM. Decryption needs the same associated data, such as table and row id.
   */
  seal: (plaintext: Uint8Array, associatedData: string) => Buffer
  /** The plaintext; undefined if anything was altered or another key was used. */
  open: (sealed: Uint8Array, associatedData: string) => Buffer | undefined
  /**
   * Like `seal`, but the key is also derived from the credential, without which nobody can decrypt.
   */
  sealFor: (credential: string, plaintext: Uint8Array, associatedData: string) => Buffer
  openFor: (credential: string, sealed: Uint8Array, associatedData: string) => Buffer | undefined
  /** 32 hex digits that identify the master key without revealing it. */
  fingerprint: () => string
}

/** Derives all keys up front. Throws RangeError unless the master key has 32 bytes. */
export function createKeyring(masterKey: Buffer): Keyring {
  if (masterKey.length !== MASTER_KEY_BYTES) {
    throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes, not ${masterKey.length}`)
  }
  // Copies the bytes: the caller may wipe its buffer before a label is first used.
  const root = createSecretKey(masterKey)
  const derive = (label: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', root, '', `mooring/v1/${label}`, 32)))
  const secretKey = derive('hash-secret')
  const sealKey = derive('seal')
  const sealForKey = derive('seal-for-credential')
  const macKeys = new Map<string, KeyObject>()

  const macKeyOf = (label: string): KeyObject => {
    const known = macKeys.get(label)
    if (known !== undefined) return known
    const key = derive(`mac/${label}`)
    macKeys.set(label, key)
    return key
  }
  const credentialKeys = new LRUCache<string, KeyObject>({ max: MAX_CREDENTIAL_KEYS })
  // A KeyObject: passing raw bytes to the cipher costs four times the encryption itself. Creating
  // it costs half of one encryption, and a factory uses the same credential all day, so it is
  // cached.
  const keyFor = (credential: string): KeyObject => {
    const name = hash('sha256', credential, 'base64')
    const known = credentialKeys.get(name)
    if (known !== undefined) return known
    const key = createSecretKey(createHmac('sha256', sealForKey).update(credential).digest())
    credentialKeys.set(name, key)
    return key
  }

  return {
    hashSecret: (secret) => createHmac('sha256', secretKey).update(secret).digest(),
    mac: (label, ...parts) => macOf(macKeyOf(label), parts),
    seal: (plaintext, associatedData) => encrypt(sealKey, plaintext, associatedData),
    open: (sealed, associatedData) => decrypt(sealKey, sealed, associatedData),
    sealFor: (credential, plaintext, associatedData) =>
      encrypt(keyFor(credential), plaintext, associatedData),
    openFor: (credential, sealed, associatedData) =>
      decrypt(keyFor(credential), sealed, associatedData),
    fingerprint: () => macOf(macKeyOf('fingerprint'), []).toString('hex', 0, 16),
  }
}

function macOf(key: KeyObject, parts: (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    // Length-prefixing keeps two lists of parts from producing the same bytes.
    const length = Buffer.allocUnsafe(4)
    length.writeUInt32BE(bytes.length)
    hmac.update(length).update(bytes)
  }
  return hmac.digest()
}

function encrypt(key: KeyObject, plaintext: Uint8Array, associatedData: string): Buffer {
  const nonce = takeRandomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(`${FORMAT}:${associatedData}`))
  const body = cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body])
}

function decrypt(key: KeyObject, sealed: Uint8Array, associatedData: string): Buffer | undefined {
  if (sealed.length < HEADER_BYTES || sealed[0] !== FORMAT) return undefined
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(`${FORMAT}:${associatedData}`))
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES))
  const body = decipher.update(sealed.subarray(HEADER_BYTES))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return body
}
