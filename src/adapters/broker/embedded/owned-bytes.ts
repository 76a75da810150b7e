/** The bytes of a message, apart from the socket buffer that they came in. */

/** What a view may pin besides its own bytes. */
const SPARE_BYTES = 512

/**
 * The same bytes in memory of their own. A payload as parsed is a window on all that was read with
 * it, up to 64 KiB, so keeping ten bytes would keep all of that.
 */
export function ownedBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * bytes.length + SPARE_BYTES) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
