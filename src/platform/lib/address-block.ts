/** Which IP addresses count together: for rate limits, and for what one address may take up. */
import { isIPv6 } from 'node:net'

/** A network, whose addresses are counted together. */
export interface AddressBlock {
  /** Such as `192.0.2.1` or `2001:db8:0:7::/64`: the key to count by. */
  name: string
  /** How many times the limit of a single address applies to it. */
  budget: number
}

export type AddressBlocks = readonly [AddressBlock, ...AddressBlock[]]

const GROUPS = 8
const GROUP_BITS = 16

/**
 * The networks of IPv6 that are commonly given to one customer: a host, a household, a site or
 * rented server (RFC 6177). A client with a block has all its addresses, so each is counted; the
 * wider ones have a larger budget, since several customers may share them.
 */
const PREFIXES = [
  { bits: 64, budget: 1 },
  { bits: 56, budget: 2 },
  { bits: 48, budget: 4 },
] as const

/** The groups of an IPv6 address, the first four of which are certain. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::', 2)
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 address at the end fills two groups, which are never among the first four.
  const filled = first.length + last.length + (address.includes('.') ? 1 : 0)
  const gap = tail === undefined ? 0 : Math.max(0, GROUPS - filled)
  const groups = [...first, ...Array.from({ length: gap }, () => '0'), ...last]
  return groups.map((group) => Number.parseInt(group, 16))
}

function networkOf(groups: readonly number[], bits: number): string {
  const last = Math.ceil(bits / GROUP_BITS) - 1
  const spare = (last + 1) * GROUP_BITS - bits
  const network = groups
    .slice(0, last + 1)
    .map((group, at) => (at === last ? (group >> spare) << spare : group))
  return `${network.map((group) => group.toString(16)).join(':')}::/${bits}`
}

/**
 * The blocks to count an address by, the narrowest first: an IPv4 address itself, or the networks
 * of an IPv6 address. Other texts are one block. Count a wider block only if the narrower ones have
 * room, so that nobody uses up the budget of their neighbours by what is refused.
 * @param address undefined once the client has disconnected
 */
export function addressBlocks(address: string | undefined): AddressBlocks {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return [{ name: plain, budget: 1 }]
  const groups = groupsOf(plain)
  const [first, ...wider] = PREFIXES.map(({ bits, budget }) => ({
    name: networkOf(groups, bits),
    budget,
  }))
  return [first as AddressBlock, ...wider]
}
