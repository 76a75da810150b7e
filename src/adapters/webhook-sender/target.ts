/**
 * Where webhooks may be sent (SSRF protection). URLs are checked when they are saved and again
 * before each request, since DNS may have changed; the connection then goes to exactly the
 * addresses that were checked.
 */
import { isIP, isIPv6 } from 'node:net'
import type { DnsResolver } from '../dns/resolver.ts'
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

/**
 * Whether an address, in any textual form, is public (IANA special-purpose registries, RFC 6890).
 * The check applies to the address actually connected to, however the URL writes it.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  if (isIPv6(address) && !global.has(address)) return false
  return !special.has(address)
}

export interface TargetRules {
  /** Host names and addresses that may be private and reached without TLS. */
  allowedHosts: readonly string[]
  dns: Pick<DnsResolver, 'addresses'>
}

/** Why nothing is sent. */
export class TargetRefused extends Error {}

/** The name of the host is unknown, or has no address: nobody can allow it. */
export class NoAddress extends Error {}

export interface Target {
  url: URL
  /** The address to connect to. */
  address: string
  family: 4 | 6
}

const MAX_URL = 2_048
/** Names that never resolve publicly (RFC 6761, RFC 6762, RFC 9476, ICANN). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa|alt|test|invalid)$/

/** Strips the brackets of IPv6 and the trailing dot of a name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

const isAllowed = (host: string, { allowedHosts }: TargetRules): boolean =>
  allowedHosts.includes(host)

/** Names the setting by which the operator can allow a receiver in their own network. */
const refused = (host: string, why: string): string =>
  `${why}; the operator of the service can add ${host} to MOORING_WEBHOOK_ALLOWED_HOSTS`

/**
 * Parses a webhook URL. WHATWG parsing normalizes every form of an address.
 * @returns the URL, or the reason why it is not acceptable
 */
export function readTargetUrl(text: string, rules: TargetRules): URL | string {
  if (text.length > MAX_URL) return `has more than ${MAX_URL} characters`
  // Some parsers drop these, so that two readers could see two different URLs.
  if (/[\s\\]/.test(text)) return 'contains white space or a backslash'
  const url = URL.parse(text)
  if (url === null) return 'is not a URL'
  const host = hostOf(url)
  const isOwn = isAllowed(host, rules)
  if (url.protocol === 'http:' && !isOwn) {
    return refused(host, 'is not https: plain http is accepted only for allowed hosts')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'contains a user name or a password'
  if (url.hash !== '') return 'has a fragment'
  if (isOwn) return url
  if (isIP(host) !== 0) {
    if (isPublicAddress(host)) return url
    return refused(host, 'names an address that is not public: use one of the open Internet')
  }
  if (host.includes('.') && !LOCAL_NAME.test(host)) return url
  return refused(host, 'names a host that is not public: use a name of the open Internet')
}

/**
 * Resolves the host once and checks all its addresses: one private address refuses the whole
 * target, since a mix suggests DNS rebinding.
 * @throws TargetRefused, NoAddress, DnsFailure
 */
export async function resolveTarget(url: URL, rules: TargetRules): Promise<Target> {
  const problem = readTargetUrl(url.href, rules)
  if (typeof problem === 'string') throw new TargetRefused(`The URL ${problem}.`)
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await rules.dns.addresses(host) : [host]
  const [address] = addresses
  if (address === undefined) throw new NoAddress('The name of the host has no address.')
  if (!isAllowed(host, rules) && !addresses.every(isPublicAddress)) {
    throw new TargetRefused('The name of the host stands for an address that is not public.')
  }
  return { url, address, family: isIP(address) === 6 ? 6 : 4 }
}
