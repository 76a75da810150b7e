/**
 * Which IP addresses are public (IANA special-purpose registries, RFC 6890). The check applies to
 * the address actually connected to, however the URL writes it.
 */
import { isIP, isIPv6 } from 'node:net'
import { Networks } from '../../platform/lib/networks.ts'

const special = new Networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
])
// In IPv6 only global unicast is public: mapped, translated, local and multicast are not.
const global = new Networks(['2000::/3'])

/** Whether an address, in any textual form, is public. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  if (isIPv6(address) && !global.has(address)) return false
  return !special.has(address)
}
