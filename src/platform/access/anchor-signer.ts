/**
 * Signs anchors of the audit log. The Ed25519 key is derived from the current root key: no row
 * needs to be kept for it. The keys of earlier root keys stay published for as long as anyone may
 * want to verify an anchor.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'
import { JWS_ALGORITHM } from './compact-jws.ts'
import type { Keyring } from './keyring.ts'
import { type PublicJwk, thumbprint, toJwks } from './signing-keys.ts'

/** PKCS#8 of an Ed25519 key, up to its 32 bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The header's `typ`. No other token of this service has it. */
const ANCHOR_TYPE = 'audit-anchor+jwt'

export interface Anchored {
  /** `ws_…` */
  workspace_id: string
  seq: number
  /** SHA-256 of the entry with that sequence number, in hex. */
  hash: string
  /** RFC 3339. */
  anchored_at: string
}

export interface AnchorSigner {
  /** A compact JWS (RFC 7515) over the canonical JSON of the anchor. */
  sign(anchor: Anchored): string
  /** The public keys, the present one first, for verifying anchors offline. */
  jwks(): { keys: PublicJwk[] }
}

interface AnchorKey {
  kid: string
  publicKey: KeyObject
  privateKey: KeyObject
  /** The encoded header of what it signs. */
  header: string
}

const encode = (value: unknown): string => Buffer.from(canonicalJson(value)).toString('base64url')

function keyOf(seed: Buffer): AnchorKey {
  const der = Buffer.concat([PKCS8_PREFIX, seed])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const kid = thumbprint(publicKey)
  return {
    kid,
    publicKey,
    privateKey,
    header: encode({ alg: JWS_ALGORITHM, kid, typ: ANCHOR_TYPE }),
  }
}

export function createAnchorSigner(keyring: Pick<Keyring, 'everyMac'>): AnchorSigner {
  const made = new Map<string, AnchorKey>()
  const keys = (): AnchorKey[] =>
    keyring.everyMac('audit-anchor-key').map((seed) => {
      const name = seed.toString('hex')
      const key = made.get(name) ?? keyOf(seed)
      made.set(name, key)
      return key
    })
  return {
    sign(anchor) {
      const [{ header, privateKey }] = keys() as [AnchorKey]
      const input = `${header}.${encode(anchor)}`
      return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`
    },
    jwks: () => toJwks(keys().map(({ kid, publicKey }) => ({ kid, publicKey, state: 'active' }))),
  }
}
