/**
 * Ids: a UUIDv7 (RFC 9562) in the database; at the API boundary a TypeID (prefix, `_`, 26
 * characters of Crockford base32; specification 0.3).
 */
import { systemClock, type Clock } from './clock.ts'
import { CROCKFORD_LOWER } from './crockford.ts'
import { takeRandomBytes } from './random.ts'

/** Belongs to nothing, and is before all others. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'
export const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export type IdPrefix =
  | 'ws'
  | 'usr'
  | 'key'
  | 'tpl'
  | 'dev'
  | 'clm'
  | 'moid'
  | 'ses'
  | 'mse'
  | 'evt'
  | 'aud'
  | 'mfa'
  | 'pky'
  | 'job'
  | 'cmp'
  | 'dom'
  | 'inv'
  | 'txn'
  | 'pm'
  | 'pay'
  | 'cmd'
  | 'fld'
  | 'note'
  | 'view'
  | 'grp'
  | 'acl'
  | 'mqp'
  | 'mqm'
  | 'con'
  | 'rcp'
  | 'whk'
  | 'dlv'
  | 'mail'
  | 'idn'
  | 'run'

const SUFFIX_LENGTH = 26
const COUNTER_LIMIT = 2 ** 26
const UUID_SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const valueOf = new Int8Array(128).fill(-1)
for (let value = 0; value < 32; value++) valueOf[CROCKFORD_LOWER.charCodeAt(value)] = value

function requireUuid(uuid: string): void {
  if (!UUID_SHAPE.test(uuid)) throw new TypeError('not a UUID in its lower-case text form')
}

/** The bytes of a lower-case UUID. Throws TypeError for any other text. */
export function uuidToBytes(uuid: string): Buffer {
  requireUuid(uuid)
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

/** The lower-case text form of 16 bytes. */
export function bytesToUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * Creates monotonic UUIDv7s. A 26-bit counter follows the milliseconds (RFC 9562 6.2, method 1),
 * reseeded randomly each millisecond with its top bit clear, followed by 48 random bits. A clock
 * that stops or steps back does not break the order.
 */
export function createUuidSource(clock: Clock): () => string {
  let lastTime = 0
  let counter = 0
  return () => {
    const bytes = takeRandomBytes(16)
    const now = Math.floor(clock.now())
    counter++
    if (counter >= COUNTER_LIMIT || now > lastTime) {
      lastTime = Math.max(now, lastTime + 1)
      counter = bytes.readUInt32BE(0) >>> 7
    }
    bytes.writeUIntBE(lastTime, 0, 6)
    bytes.writeUInt16BE(0x7000 | (counter >>> 14), 6)
    bytes.writeUInt16BE(0x8000 | (counter & 0x3fff), 8)
    return bytesToUuid(bytes)
  }
}

/** A new UUIDv7, greater than all earlier ones of this process. */
export const newUuid: () => string = createUuidSource(systemClock)

const MAX_MS = 2 ** 48 - 1

/** The smallest UUIDv7 of a millisecond since the epoch. */
export function leastUuidAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The last id of each prefix: rows of a list share the workspace, and often the template. */
const lastFormatted = new Map<IdPrefix, { uuid: string; text: string }>()

/** The public id: `dev_01h455vb4pex5vsknk084sn02q`. */
export function formatId(prefix: IdPrefix, uuid: string): string {
  const last = lastFormatted.get(prefix)
  if (last?.uuid === uuid) return last.text
  const text = encodeId(prefix, uuid)
  lastFormatted.set(prefix, { uuid, text })
  return text
}

function encodeId(prefix: IdPrefix, uuid: string): string {
  requireUuid(uuid)
  let text = `${prefix}_`
  let held = 0
  // 26 characters hold 130 bits: two zero bits precede the UUID's 128.
  let heldBits = 2
  // Digit by digit from the text: going through a buffer takes more than twice as long.
  for (let at = 0; at < uuid.length; at++) {
    const digit = valueOf[uuid.charCodeAt(at)] as number
    if (digit < 0) continue
    held = (held << 4) | digit
    heldBits += 4
    if (heldBits < 5) continue
    heldBits -= 5
    text += CROCKFORD_LOWER.charAt(held >> heldBits)
    held &= (1 << heldBits) - 1
  }
  return text
}

/** The UUID; undefined for another prefix or a malformed or non-canonical id. */
export function parseId(prefix: IdPrefix, text: string): string | undefined {
  const start = prefix.length + 1
  if (text.length !== start + SUFFIX_LENGTH) return undefined
  if (!text.startsWith(prefix) || text.charCodeAt(prefix.length) !== 0x5f) return undefined
  // A first character above 7 would need more than 128 bits.
  if (text.charCodeAt(start) > 0x37) return undefined
  const bytes = Buffer.allocUnsafe(16)
  let held = 0
  let heldBits = -2
  let filled = 0
  for (let at = start; at < text.length; at++) {
    const value = valueOf[text.charCodeAt(at)] ?? -1
    if (value < 0) return undefined
    held = (held << 5) | value
    heldBits += 5
    if (heldBits >= 8) {
      heldBits -= 8
      bytes[filled++] = held >> heldBits
      held &= (1 << heldBits) - 1
    }
  }
  return bytesToUuid(bytes)
}

/** The UUID of an id that a schema has admitted. Throws TypeError for any other text. */
export function uuidOf(prefix: IdPrefix, id: string): string {
  const uuid = parseId(prefix, id)
  if (uuid === undefined) throw new TypeError(`not an id with the prefix ${prefix}`)
  return uuid
}

const SENT_UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const sentUuid = new RegExp(`^${SENT_UUID}$`)

/**
 * The UUID of an id that a device sends: its firmware may have stored the bare UUID, in either
 * case. Undefined for anything else.
 */
export const parseSentId = (prefix: IdPrefix, text: string): string | undefined =>
  sentUuid.test(text) ? text.toLowerCase() : parseId(prefix, text)

/** Turns a bare UUID into the public id; other text stays as it is. */
export const publicId = (prefix: IdPrefix, text: string): string =>
  sentUuid.test(text) ? formatId(prefix, text.toLowerCase()) : text

/** Like `idPattern`, for what `parseSentId` accepts. */
export const sentIdPattern = (prefix: IdPrefix): string =>
  `^(?:${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}|${SENT_UUID})$`

/** A regular expression for JSON schema that matches what `parseId` accepts. */
export const idPattern = (prefix: IdPrefix): string => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
