/**
 * An authenticator in software, with the browser around it: makes passkeys (WebAuthn) and signs
 * with them, as ES256. Its signatures can be falsified, for tests of refusals.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Cbor = number | string | Uint8Array | Map<number | string, Cbor>

/** Type and length, or a number (RFC 8949 section 3). */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff])
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([head(3, bytes.length), bytes])
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const members = [...value].flatMap(([name, each]) => [cbor(name), cbor(each)])
  return Buffer.concat([head(5, value.size), ...members])
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** An EC2 key for ES256 (RFC 9053 sections 2.1 and 7.1.1). */
function coseKeyOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const members: [number, Cbor][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]
  return cbor(new Map(members))
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKED_UP = 0x10
const HAS_CREDENTIAL = 0x40

/** The possible faults of a response. */
export interface Faults {
  origin?: string
  rpId?: string
  /** The person was not verified, by a PIN or a fingerprint. */
  unverified?: boolean
  /** The count of signatures; by default one more than before. */
  signatures?: number
  userHandle?: string
  /** The id of another passkey. */
  id?: string
  /** Signs something else. */
  forged?: boolean
  type?: string
  /** A page in a frame of another site asked. */
  crossOrigin?: boolean
  /** The passkey is backed up, although it said that it cannot be. */
  backedUp?: boolean
}

interface Options {
  challenge: string
}

export interface CreationOptions extends Options {
  rp: { id: string }
  user: { id: string }
}

export interface RequestOptions extends Options {
  rpId: string
}

export interface Passkey {
  id: string
  privateKey: KeyObject
  userHandle: string
  signatures: number
}

/** @param origin of the page that asks */
export function authenticator(origin: string) {
  const clientData = (type: string, { challenge }: Options, faults: Faults): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: faults.type ?? type,
        challenge,
        origin: faults.origin ?? origin,
        crossOrigin: faults.crossOrigin ?? false,
      }),
    )
  const dataOf = (rpId: string, flags: number, signatures: number, faults: Faults): Buffer => {
    const rest = Buffer.alloc(5)
    const verified = faults.unverified ? 0 : USER_VERIFIED
    rest.writeUInt8(flags | USER_PRESENT | verified | (faults.backedUp ? BACKED_UP : 0))
    rest.writeUInt32BE(faults.signatures ?? signatures, 1)
    return Buffer.concat([sha256(faults.rpId ?? rpId), rest])
  }
  return {
    /** Makes a passkey; the body is for `addPasskey`, without a name. */
    create(options: CreationOptions, faults: Faults = {}) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const id = faults.id === undefined ? randomBytes(32) : Buffer.from(faults.id, 'base64url')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const data = Buffer.concat([
        dataOf(options.rp.id, HAS_CREDENTIAL, 0, faults),
        Buffer.alloc(16),
        length,
        id,
        coseKeyOf(publicKey),
      ])
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data],
      ])
      const passkey: Passkey = {
        id: id.toString('base64url'),
        privateKey,
        userHandle: options.user.id,
        signatures: 0,
      }
      const body = {
        id: passkey.id,
        client_data: clientData('webauthn.create', options, faults).toString('base64url'),
        attestation: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      }
      return { passkey, body }
    },

    /** Signs a challenge; the body is for `openPasskeySession`. */
    get(passkey: Passkey, options: RequestOptions, faults: Faults = {}) {
      passkey.signatures += 1
      const data = dataOf(options.rpId, 0, passkey.signatures, faults)
      const client = clientData('webauthn.get', options, faults)
      const signed = Buffer.concat([data, faults.forged ? randomBytes(32) : sha256(client)])
      return {
        id: passkey.id,
        client_data: client.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        signature: sign('sha256', signed, passkey.privateKey).toString('base64url'),
        user_handle: faults.userHandle ?? passkey.userHandle,
      }
    },
  }
}
