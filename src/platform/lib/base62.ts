/**
 * Fixed-length base62 (0-9 A-Z a-z) of bytes as a big-endian number. Each byte string of a length
 * has exactly one encoding; any other text is refused.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHUNK_DIGITS = 5
const CHUNK = 62 ** CHUNK_DIGITS
const LIMB = 0x10000

const digitOf = new Int8Array(128).fill(-1)
for (let digit = 0; digit < 62; digit++) digitOf[ALPHABET.charCodeAt(digit)] = digit

/** Characters for `byteLength` bytes: 43 for 32 bytes, 22 for 16, 6 for 4. */
export const base62Length = (byteLength: number): number =>
  Math.ceil((byteLength * 8) / Math.log2(62))

function toLimbs(bytes: Uint8Array): Float64Array {
  const limbs = new Float64Array((bytes.length + 1) >> 1)
  for (let from = bytes.length - 1, limb = limbs.length - 1; from >= 0; from -= 2, limb--) {
    limbs[limb] = (bytes[from] ?? 0) + (from > 0 ? (bytes[from - 1] ?? 0) * 256 : 0)
  }
  return limbs
}

/** Text of `base62Length(bytes.length)` characters. */
export function encodeBase62(bytes: Uint8Array): string {
  const limbs = toLimbs(bytes)
  const length = base62Length(bytes.length)
  const codes = Buffer.allocUnsafe(length)
  let first = 0
  for (let end = length; end > 0; end -= CHUNK_DIGITS) {
    // Long division by 62^5: remainder and limb together stay below 2^46, so doubles are exact.
    let remainder = 0
    for (let at = first; at < limbs.length; at++) {
      const value = remainder * LIMB + (limbs[at] ?? 0)
      const quotient = Math.floor(value / CHUNK)
      limbs[at] = quotient
      remainder = value - quotient * CHUNK
    }
    while (first < limbs.length && limbs[first] === 0) first++
    for (let at = end - 1; at >= Math.max(0, end - CHUNK_DIGITS); at--) {
      codes[at] = ALPHABET.charCodeAt(remainder % 62)
      remainder = Math.floor(remainder / 62)
    }
  }
  return codes.toString('latin1')
}

/** The bytes; undefined unless the text is the encoding of `byteLength` bytes. */
export function decodeBase62(text: string, byteLength: number): Buffer | undefined {
  const length = base62Length(byteLength)
  if (text.length !== length) return undefined
  const limbs = new Float64Array((byteLength + 1) >> 1)
  for (let at = 0; at < length; ) {
    let carry = 0
    let scale = 1
    // The first chunk is the short one, so that the others are aligned to the end.
    const end = at + ((length - at) % CHUNK_DIGITS || CHUNK_DIGITS)
    for (; at < end; at++) {
      const digit = digitOf[text.charCodeAt(at)] ?? -1
      if (digit < 0) return undefined
      carry = carry * 62 + digit
      scale *= 62
    }
    for (let limb = limbs.length - 1; limb >= 0; limb--) {
      const value = (limbs[limb] ?? 0) * scale + carry
      carry = Math.floor(value / LIMB)
      limbs[limb] = value - carry * LIMB
    }
    if (carry > 0) return undefined
  }
  return fromLimbs(limbs, byteLength)
}

function fromLimbs(limbs: Float64Array, byteLength: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(byteLength)
  for (let at = byteLength - 1, limb = limbs.length - 1; at >= 0; at -= 2, limb--) {
    const value = limbs[limb] ?? 0
    bytes[at] = value & 0xff
    if (at > 0) bytes[at - 1] = value >> 8
    else if (value > 0xff) return undefined
  }
  return bytes
}
