/**
 * All keys of the service, derived from root keys. Each purpose has its own key (HKDF, RFC 5869,
 * with a label), so that leaking one compromises no other.
 *
 * An installation begins with one root key, its master key. Replacing the master key adds a root
 * key. Data that an attacker with an earlier root key could use is encrypted or signed again with
 * the newest one. Other data, such as hashes of long random secrets, stays with the first root key,
 * since it cannot be computed again.
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
import { constantTimeEqual } from '../lib/secrets.ts'

export const MASTER_KEY_BYTES = 32

/** Encrypted values begin with the number of their root key, one byte. */
const FIRST = 1
export const MAX_ROOT_KEYS = 255
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Cached keys derived from credentials, a few hundred bytes each. */
const MAX_CREDENTIAL_KEYS = 1_000
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES

export interface RootKeys {
  /** 32 bytes each; the one at index 0 has the number 1. */
  keys: readonly Buffer[]
  /**
   * Number of the one that encrypts and signs; the ones after it may be in use by other processes.
   */
  current: number
  /** The lowest number whose MACs are accepted, for each use of `currentMac`. */
  oldest: Readonly<Record<RenewedUse, number>>
}

/** Uses of `currentMac` that verify: they stop accepting earlier root keys separately. */
export type RenewedUse = 'audit' | 'session'

export interface Keyring {
  /** The stored form of a generated secret: HMAC-SHA-256, 32 bytes. */
  hashSecret: (secret: string) => Buffer
  /**
   * HMAC-SHA-256 over the parts, 32 bytes, under the first root key: it never changes. The label is
   * a constant that selects the key. Parts are length-prefixed: `('a', 'bc')` and `('ab', 'c')`
   * differ.
   */
  mac: (label: string, ...parts: Part[]) => Buffer
  /** Like `mac`, under the current root key. */
  currentMac: (label: string, ...parts: Part[]) => Buffer
  /** Like `currentMac`, under each root key that is known, the current one first. */
  everyMac: (label: string, ...parts: Part[]) => Buffer[]
  /** Whether a MAC is that of a root key that is accepted for this use; constant time. */
  isAccepted: (use: RenewedUse, mac: Uint8Array, label: string, ...parts: Part[]) => boolean
  /**
   * Encrypts with AES-256-GCM under the current root key. Decryption needs the same associated
   * data, such as table and row id.
   */
  encrypt: (plaintext: Uint8Array, associatedData: string) => Buffer
  /** The plaintext; undefined if anything was altered or an unknown key was used. */
  decrypt: (encrypted: Uint8Array, associatedData: string) => Buffer | undefined
  /**
   * Like `encrypt`, but the key is derived from the first root key and the credential, without
   * which nobody can decrypt.
   */
  encryptFor: (credential: string, plaintext: Uint8Array, associatedData: string) => Buffer
  decryptFor: (
    credential: string,
    encrypted: Uint8Array,
    associatedData: string,
  ) => Buffer | undefined
  currentRoot: () => number
  /** 32 hex digits that identify the first root key without revealing it. */
  fingerprint: () => string
}

export interface RenewableKeyring extends Keyring {
  /** Replaces the root keys; the first one must stay. */
  renew: (roots: RootKeys) => void
}

type Part = string | Uint8Array

/** The root keys of an installation whose master key was never replaced. */
export const onlyRoot = (key: Buffer): RootKeys => ({
  keys: [key],
  current: FIRST,
  oldest: { audit: FIRST, session: FIRST },
})

/** Keys that are derived from one root key, by label. */
interface Derived {
  derive: (label: string) => KeyObject
  encryption: KeyObject
  mac: (label: string) => KeyObject
}

function deriveFrom(root: Buffer): Derived {
  if (root.length !== MASTER_KEY_BYTES) {
    throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes, not ${root.length}`)
  }
  // Copies the bytes: the caller may wipe its buffer before a label is first used.
  const key = createSecretKey(root)
  const derive = (label: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `mooring/v1/${label}`, 32)))
  const macKeys = new Map<string, KeyObject>()
  return {
    derive,
    encryption: derive('seal'),
    mac(label) {
      const known = macKeys.get(label)
      if (known !== undefined) return known
      const made = derive(`mac/${label}`)
      macKeys.set(label, made)
      return made
    },
  }
}

/** The root keys, and those of them that are used; changes when one is added. */
function rootsOf(given: RootKeys) {
  let roots = given
  let derived = given.keys.map(deriveFrom)
  const from = (oldest: number): readonly Derived[] => {
    const current = derived[roots.current - 1] as Derived
    return [current, ...derived.slice(oldest - 1).filter((each) => each !== current)]
  }
  return {
    first: derived[0] as Derived,
    current: (): [Derived, number] => [derived[roots.current - 1] as Derived, roots.current],
    every: () => from(FIRST),
    accepted: (use: RenewedUse) => from(roots.oldest[use]),
    numbered: (number: number): Derived | undefined => derived[number - 1],
    renew(next: RootKeys) {
      if (!next.keys[0]?.equals(roots.keys[0] as Buffer)) {
        throw new RangeError('the first root key never changes')
      }
      const known = derived
      derived = next.keys.map((key, index) =>
        roots.keys[index]?.equals(key) === true ? (known[index] as Derived) : deriveFrom(key),
      )
      roots = next
    },
  }
}

/** The key that encrypts for a credential; see `Keyring.encryptFor`. */
function credentialKeysOf(root: KeyObject): (credential: string) => KeyObject {
  const known = new LRUCache<string, KeyObject>({ max: MAX_CREDENTIAL_KEYS })
  // A KeyObject: passing raw bytes to the cipher costs four times the encryption itself. Creating
  // it costs half of one encryption, and a factory uses the same credential all day, so it is
  // cached.
  return (credential) => {
    const name = hash('sha256', credential, 'base64')
    const found = known.get(name)
    if (found !== undefined) return found
    const key = createSecretKey(createHmac('sha256', root).update(credential).digest())
    known.set(name, key)
    return key
  }
}

/**
 * @param given the root keys, or the master key if it was never replaced
 * @throws RangeError if one of them has not 32 bytes
 */
export function createKeyring(given: Buffer | RootKeys): RenewableKeyring {
  const roots = rootsOf(Buffer.isBuffer(given) ? onlyRoot(given) : given)
  const { first } = roots
  const secretKey = first.derive('hash-secret')
  const keyFor = credentialKeysOf(first.derive('seal-for-credential'))
  return {
    hashSecret: (secret) => createHmac('sha256', secretKey).update(secret).digest(),
    mac: (label, ...parts) => macOf(first.mac(label), parts),
    currentMac: (label, ...parts) => macOf(roots.current()[0].mac(label), parts),
    everyMac: (label, ...parts) => roots.every().map((root) => macOf(root.mac(label), parts)),
    isAccepted: (use, mac, label, ...parts) =>
      roots
        .accepted(use)
        .some((root) => constantTimeEqual(macOf(root.mac(label), parts), Buffer.from(mac))),
    encrypt(plaintext, associatedData) {
      const [root, number] = roots.current()
      return encrypt(root.encryption, number, plaintext, associatedData)
    },
    decrypt(encrypted, associatedData) {
      const root = roots.numbered(encrypted[0] ?? 0)
      return root && decrypt(root.encryption, encrypted, associatedData)
    },
    encryptFor: (credential, plaintext, associatedData) =>
      encrypt(keyFor(credential), FIRST, plaintext, associatedData),
    decryptFor: (credential, encrypted, associatedData) =>
      encrypted[0] === FIRST ? decrypt(keyFor(credential), encrypted, associatedData) : undefined,
    currentRoot: () => roots.current()[1],
    fingerprint: () => macOf(first.mac('fingerprint'), []).toString('hex', 0, 16),
    renew: (next) => roots.renew(next),
  }
}

function macOf(key: KeyObject, parts: Part[]): Buffer {
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

function encrypt(
  key: KeyObject,
  number: number,
  plaintext: Uint8Array,
  associatedData: string,
): Buffer {
  const nonce = takeRandomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(`${number}:${associatedData}`))
  const body = cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([Buffer.of(number), nonce, cipher.getAuthTag(), body])
}

function decrypt(
  key: KeyObject,
  encrypted: Uint8Array,
  associatedData: string,
): Buffer | undefined {
  if (encrypted.length < HEADER_BYTES) return undefined
  const nonce = encrypted.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(`${encrypted[0]}:${associatedData}`))
  decipher.setAuthTag(encrypted.subarray(1 + NONCE_BYTES, HEADER_BYTES))
  const body = decipher.update(encrypted.subarray(HEADER_BYTES))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return body
}
