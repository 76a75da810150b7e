/**
 * Where a webhook may be sent to: judged when it is written, and again each time before it is sent,
 * since what a name stands for may have changed. The addresses that were judged are the ones that
 * are connected to.
 */
import { isIP } from 'node:net'
import type { DnsResolver } from '../dns/resolver.ts'
import { isPublicAddress } from './addresses.ts'

export interface TargetRules {
  /** Host names and addresses that may be private, and may be reached without TLS. */
  allowedHosts: readonly string[]
  dns: Pick<DnsResolver, 'addresses'>
}

/** Why nothing is sent. */
export class TargetRefused extends Error {}

export interface Target {
  url: URL
  /** The address to connect to. */
  address: string
  family: 4 | 6
}

const MAX_URL = 2_048
/** Names that never are of the open Internet (RFC 6761, RFC 6762, RFC 9476, ICANN). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa|alt|test|invalid)$/

/** Without the brackets of IPv6 and the dot at the end of a name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

const isAllowed = (host: string, { allowedHosts }: TargetRules): boolean =>
  allowedHosts.includes(host)

/** Says how whoever runs the service can have it taken, for a receiver of their own network. */
const refused = (host: string, why: string): string =>
  `${why}; who runs the service can add ${host} to MOORING_WEBHOOK_ALLOWED_HOSTS`

/**
 * Reads the URL of a webhook. WHATWG parsing makes every spelling of an address the same one.
 * @returns the URL, or in words why it is none.
 */
export function readTargetUrl(text: string, rules: TargetRules): URL | string {
  if (text.length > MAX_URL) return `has more than ${MAX_URL} characters`
  // A parser that drops them would let two readers see two URLs.
  if (/[\s\\]/.test(text)) return 'holds white space or a backslash'
  const url = URL.parse(text)
  if (url === null) return 'is not a URL'
  const host = hostOf(url)
  const isOwn = isAllowed(host, rules)
  if (url.protocol === 'http:' && !isOwn) {
    return refused(host, 'is not https: plain http is taken for hosts alone that are allowed')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'holds a user name or a password'
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
 * Resolves the host once, and judges every address that it has: one that is not public refuses
 * all, since who mixes them is up to no good.
 * @throws TargetRefused, DnsFailure
 */
export async function resolveTarget(url: URL, rules: TargetRules): Promise<Target> {
  const problem = readTargetUrl(url.href, rules)
  if (typeof problem === 'string') throw new TargetRefused(`The URL ${problem}.`)
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await rules.dns.addresses(host) : [host]
  const [address] = addresses
  if (address === undefined) throw new TargetRefused('The name of the host has no address.')
  if (!isAllowed(host, rules) && !addresses.every(isPublicAddress)) {
    throw new TargetRefused('The name of the host stands for an address that is not public.')
  }
  return { url, address, family: isIP(address) === 6 ? 6 : 4 }
}
