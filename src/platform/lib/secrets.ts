/**
 * Generated secrets: a prefix for the kind, 256 random bits as 43 base62 characters, and a CRC-32
 * of all that as six more, so that leak scanners recognize them and the gate can refuse a mistyped
 * one without a lookup.
 */
import { timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62Length, decodeBase62, encodeBase62 } from './base62.ts'
import { takeRandomBytes } from './random.ts'

export { crc32 }

export const PLATFORM_KEY_PREFIX = 'service_ak_'
export const PROVISION_KEY_PREFIX = 'service_pk_'
export const DEVICE_TOKEN_PREFIX = 'dht_'
export const INVITATION_TOKEN_PREFIX = 'invite_'
/** The prefix of the links that people get by mail. */
export const LINK_TOKEN_PREFIX = 'link_'
/** The prefix of the codes by which a program gets a session of a person. */
export const AUTHORIZATION_CODE_PREFIX = 'ac_'

const SECRET_BYTES = 32
const CHECKSUM_CHARACTERS = base62Length(4)

/** 256 bits from a cryptographically secure generator. */
export const randomBytes256 = (): Buffer => takeRandomBytes(SECRET_BYTES)

/** Compares in time that depends only on the lengths, which are not secret. */
export const constantTimeEqual = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b)

/** Six base62 characters: the CRC-32 of the text. */
function checksumOf(text: string): string {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(crc32(text))
  return encodeBase62(bytes)
}

/** `prefix`, the bytes in base62, and the checksum over both. */
export function encodeChecked(prefix: string, bytes: Uint8Array): string {
  const text = prefix + encodeBase62(bytes)
  return text + checksumOf(text)
}

/** The bytes of a text made by `encodeChecked`; undefined for any other text. */
export function readChecked(prefix: string, text: string, byteLength: number): Buffer | undefined {
  const end = prefix.length + base62Length(byteLength)
  if (text.length !== end + CHECKSUM_CHARACTERS || !text.startsWith(prefix)) return undefined
  const bytes = decodeBase62(text.slice(prefix.length, end), byteLength)
  if (bytes === undefined || checksumOf(text.slice(0, end)) !== text.slice(end)) return undefined
  return bytes
}

/** A new secret: `prefix` + 43 base62 characters + 6 of checksum. */
export const issueSecret = (prefix: string): string => encodeChecked(prefix, randomBytes256())

/** Whether the text could have come from `issueSecret(prefix)`: exact grammar and checksum. */
export const hasGoodChecksum = (prefix: string, text: string): boolean =>
  readChecked(prefix, text, SECRET_BYTES) !== undefined
