/**
 * The canonical form under which accounts store and look up e-mail addresses. Only ASCII is
 * accepted, so that no look-alike of an account exists in another script.
 */

const MAX_ADDRESS = 254
const MAX_LOCAL_PART = 64

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The lower-case form. Undefined for anything but a plain RFC 5321 dot-string and host name within
 * the length limits: quoted local parts, address literals, surrounding spaces, a trailing dot,
 * non-ASCII characters. Linear time.
 */
export function canonicalEmail(text: string): string | undefined {
  // Checked first, which bounds the cost of what follows.
  if (text.length > MAX_ADDRESS) return undefined
  // Lower-casing is safe only if no letter, such as the Kelvin sign, can fold into ASCII.
  if (!/^[!-~]+$/.test(text)) return undefined
  const address = text.toLowerCase()
  const at = address.lastIndexOf('@')
  if (at < 1 || at > MAX_LOCAL_PART || !LOCAL_PART.test(address.slice(0, at))) return undefined
  const labels = address.slice(at + 1).split('.')
  if (!labels.every((label) => LABEL.test(label))) return undefined
  // A numeric last label would make the domain an IP address.
  return /^[0-9]+$/.test(labels.at(-1) ?? '') ? undefined : address
}
