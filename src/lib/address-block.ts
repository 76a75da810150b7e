/** Which IP addresses count as one: for rate limits, and for what one address may take up. */
import { isIPv6 } from 'node:net'

const GROUPS = 8
/** A /64 is the smallest network that one customer is given (RFC 6177). */
const GROUPS_OF_NETWORK = 4

/**
 * The key to count an address by: an IPv4 address itself, or the /64 network of an IPv6 address,
 * since whoever has one of its addresses can use all of them. Other texts are returned unchanged.
 * @param address undefined once the client has disconnected
 */
export function addressBlock(address: string | undefined): string {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = (plain.split('%', 1)[0] as string).split('::', 2)
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 address at the end fills two groups, which are never among the first four.
  const filled = first.length + last.length + (plain.includes('.') ? 1 : 0)
  const gap = tail === undefined ? 0 : Math.max(0, GROUPS - filled)
  const groups = [...first, ...Array.from({ length: gap }, () => '0'), ...last]
  const network = groups.slice(0, GROUPS_OF_NETWORK).map((group) => Number.parseInt(group, 16))
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
