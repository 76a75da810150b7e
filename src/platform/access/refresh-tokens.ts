/**
 * Self-authenticating session tokens: refresh tokens of both kinds of users, the token between
 * password and second factor, and that of a known device. They are not stored. A token is the
 * session's id, its generation, and a MAC over both and a salt stored with the session; so a lost
 * response can be repeated verbatim, and a new salt invalidates all tokens of a session.
 */
import { bytesToUuid, uuidToBytes } from '../lib/ids.ts'
import { readChecked, encodeChecked } from '../lib/secrets.ts'
import { takeRandomBytes } from '../lib/random.ts'
import type { Keyring } from './keyring.ts'

/**
 * `console` and `moid` refresh a session; `mfa` is used between password and second factor;
 * `device` identifies a device that has signed in before.
 */
export type SessionTokenKind = 'console' | 'moid' | 'mfa' | 'device'

export const SESSION_TOKEN_PREFIXES: Readonly<Record<SessionTokenKind, string>> = {
  console: 'rt_',
  moid: 'mrt_',
  mfa: 'mfa_',
  device: 'kd_',
}

const SESSION_SALT_BYTES = 16
const UUID_BYTES = 16
const GENERATION_BYTES = 4
const MAC_BYTES = 32
const BODY_BYTES = UUID_BYTES + GENERATION_BYTES + MAC_BYTES
const MAX_GENERATION = 0xffffffff

/** The contents of a token, unverified until `verifyRefreshToken`. */
export interface ReadRefreshToken {
  sessionUuid: string
  /** 0 to 2^32 - 1, incremented by each refresh. */
  generation: number
  mac: Buffer
}

/** The salt of a new session: 16 random bytes. */
export const newSessionSalt = (): Buffer => takeRandomBytes(SESSION_SALT_BYTES)

function claimBytes(sessionUuid: string, generation: number): Buffer {
  if (!Number.isInteger(generation) || generation < 0 || generation > MAX_GENERATION) {
    throw new RangeError('a generation is an integer of 32 bits')
  }
  const bytes = Buffer.allocUnsafe(UUID_BYTES + GENERATION_BYTES)
  uuidToBytes(sessionUuid).copy(bytes)
  bytes.writeUInt32BE(generation, UUID_BYTES)
  return bytes
}

/** The bytes that the MAC of a token covers. */
function proven(kind: SessionTokenKind, claim: Buffer, salt: Buffer): [string, Buffer, Buffer] {
  if (salt.length !== SESSION_SALT_BYTES) throw new RangeError('a session salt has 16 bytes')
  return [`session-token/${kind}`, claim, salt]
}

/** Deterministic: the same arguments give the same token, until the root key is replaced. */
export function issueRefreshToken(
  keyring: Keyring,
  kind: SessionTokenKind,
  sessionUuid: string,
  salt: Buffer,
  generation: number,
): string {
  const claim = claimBytes(sessionUuid, generation)
  const proof = keyring.currentMac(...proven(kind, claim, salt))
  return encodeChecked(SESSION_TOKEN_PREFIXES[kind], Buffer.concat([claim, proof]))
}

/** Undefined for a token of another kind, a wrong checksum, or a non-canonical encoding. */
export function readRefreshToken(
  kind: SessionTokenKind,
  text: string,
): ReadRefreshToken | undefined {
  const bytes = readChecked(SESSION_TOKEN_PREFIXES[kind], text, BODY_BYTES)
  if (bytes === undefined) return undefined
  return {
    sessionUuid: bytesToUuid(bytes),
    generation: bytes.readUInt32BE(UUID_BYTES),
    mac: bytes.subarray(UUID_BYTES + GENERATION_BYTES),
  }
}

/** Whether this service issued the token for the session with this salt; constant time. */
export function verifyRefreshToken(
  keyring: Keyring,
  kind: SessionTokenKind,
  read: ReadRefreshToken,
  salt: Buffer,
): boolean {
  const claim = claimBytes(read.sessionUuid, read.generation)
  return keyring.isAccepted('session', read.mac, ...proven(kind, claim, salt))
}
