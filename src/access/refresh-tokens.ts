/**
 * Tokens that name a session and prove themselves: refresh tokens of both kinds of user, and the
 * token between password and second factor. Nothing of them is stored. A token is the session's
 * id, its generation and a MAC over both and a salt that is kept beside the session, so the answer
 * that got lost can be given again word for word, and a new salt kills all tokens of a session.
 */
import { bytesToUuid, uuidToBytes } from '../lib/ids.ts'
import { constantTimeEqual, readChecked, spellChecked } from '../lib/secrets.ts'
import { takeRandomBytes } from '../lib/random.ts'
import type { Keyring } from './keyring.ts'

/** `console` and `moid` refresh a session; `mfa` stands between password and second factor. */
export type SessionTokenKind = 'console' | 'moid' | 'mfa'

export const SESSION_TOKEN_PREFIXES: Readonly<Record<SessionTokenKind, string>> = {
  console: 'rt_',
  moid: 'mrt_',
  mfa: 'mfa_',
}

const SESSION_SALT_BYTES = 16
const UUID_BYTES = 16
const GENERATION_BYTES = 4
const MAC_BYTES = 32
const BODY_BYTES = UUID_BYTES + GENERATION_BYTES + MAC_BYTES
const MAX_GENERATION = 0xffffffff

/** What a token says; nothing of it is proven before `verifyRefreshToken`. */
export interface ReadRefreshToken {
  sessionUuid: string
  /** 0 to 2^32 - 1, one more with each refresh. */
  generation: number
  mac: Buffer
}

/** The salt of a new session: 16 random bytes. */
export function newSessionSalt(): Buffer {
  return takeRandomBytes(SESSION_SALT_BYTES)
}

function claimBytes(sessionUuid: string, generation: number): Buffer {
  if (!Number.isInteger(generation) || generation < 0 || generation > MAX_GENERATION) {
    throw new RangeError('a generation is an integer of 32 bits')
  }
  const bytes = Buffer.allocUnsafe(UUID_BYTES + GENERATION_BYTES)
  uuidToBytes(sessionUuid).copy(bytes)
  bytes.writeUInt32BE(generation, UUID_BYTES)
  return bytes
}

function proofOf(keyring: Keyring, kind: SessionTokenKind, claim: Buffer, salt: Buffer): Buffer {
  if (salt.length !== SESSION_SALT_BYTES) throw new RangeError('a session salt has 16 bytes')
  return keyring.mac(`session-token/${kind}`, claim, salt)
}

/** The same arguments give the same token. */
export function mintRefreshToken(
  keyring: Keyring,
  kind: SessionTokenKind,
  sessionUuid: string,
  salt: Buffer,
  generation: number,
): string {
  const claim = claimBytes(sessionUuid, generation)
  const proof = proofOf(keyring, kind, claim, salt)
  return spellChecked(SESSION_TOKEN_PREFIXES[kind], Buffer.concat([claim, proof]))
}

/** Undefined for another kind's token, a wrong checksum or any second spelling. */
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

/** Whether this service made the token for the session that has this salt; constant-time. */
export function verifyRefreshToken(
  keyring: Keyring,
  kind: SessionTokenKind,
  read: ReadRefreshToken,
  salt: Buffer,
): boolean {
  const claim = claimBytes(read.sessionUuid, read.generation)
  return constantTimeEqual(proofOf(keyring, kind, claim, salt), read.mac)
}
