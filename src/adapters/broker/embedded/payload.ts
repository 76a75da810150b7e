/** The bytes of a message, apart from the socket buffer that they came in. */

/**
 * A copy that owns its memory. A payload as parsed is a window on a whole read buffer of up to
 * 64 KiB, so keeping ten bytes would keep all of that.
 */
export function ownedPayload(payload: string | Buffer): Buffer {
  if (typeof payload === 'string') return Buffer.from(payload)
  const copy = Buffer.allocUnsafeSlow(payload.length)
  payload.copy(copy)
  return copy
}
