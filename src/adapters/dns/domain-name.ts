/**
 * Validates host names that a workspace may claim: normalizes them and refuses reserved and
 * public-suffix names before DNS is queried. Ownership is decided by DNS alone.
 */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

/** The label of the TXT record that proves ownership. */
const PROOF_LABEL = '_service-verification'
export const proofNameOf = (domain: string): string => `${PROOF_LABEL}.${domain}`

/**
 * A DNS name has at most 253 characters (RFC 1035 section 2.3.4), which includes the record's
 * label.
 */
const MAX_LENGTH = 253 - PROOF_LABEL.length - 1
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** Special-use names that nobody owns (RFC 6761, RFC 7686, RFC 8375, RFC 9476, RFC 6762, ICANN). */
const SPECIAL = ['localhost', 'invalid', 'test', 'example', 'onion', 'alt', 'arpa']
/** Names that exist only in private DNS. */
const PRIVATE = ['internal', 'local', 'home.arpa', 'lan', 'intranet', 'corp', 'home', 'private']

export interface NameRules {
  /** Whether a host belongs to the installation itself. */
  isOwn: (host: string) => boolean
  /** Whether names of private DNS are allowed. */
  allowsPrivate: boolean
}

const isBelow = (name: string, parents: readonly string[]): boolean =>
  parents.some((parent) => name === parent || name.endsWith(`.${parent}`))

/** The syntax error, as text; undefined if there is none. */
function formatErrorOf(text: string): string | undefined {
  if (text.includes('*')) return 'is a wildcard; add the name of one host'
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return 'is an IP address, not a domain'
  if (/[/\\@?#%:\s[\]]/.test(text)) return 'is not a host name alone, as devices.example.com'
  return undefined
}

function malformation(name: string, max: number): string | undefined {
  if (name === '') return 'is not a domain name'
  if (isIP(name) !== 0) return 'is an IP address, not a domain'
  if (name.length > max) return `is longer than ${max} characters`
  const labels = name.split('.')
  if (labels.some((label) => label === '')) return 'has an empty label'
  if (labels.some((label) => label.length > 63)) return 'has a label of more than 63 characters'
  if (!labels.every((label) => LABEL.test(label))) {
    return 'has a label with other characters than letters, digits and inner hyphens'
  }
  return labels.length < 2 ? 'has only one label' : undefined
}

/** Why nobody can own a name, as text; undefined if somebody can. */
function publicness(name: string, { isOwn, allowsPrivate }: NameRules): string | undefined {
  if (isOwn(name)) return 'belongs to the service itself'
  const isPrivate = isBelow(name, PRIVATE)
  if (!isPrivate && isBelow(name, SPECIAL)) return 'is reserved for special use'
  if (isPrivate && !allowsPrivate) return 'is not a name of the public DNS'
  const {
    publicSuffix,
    isIcann,
    isPrivate: isOfList,
  } = parse(name, { allowPrivateDomains: true, extractHostname: false })
  if (publicSuffix === name) return 'is a public suffix, under which anybody may register'
  if (isIcann || isOfList || allowsPrivate) return undefined
  return 'is not below a known top-level domain'
}

/**
 * Parses a name as people write it: Unicode or A-labels (RFC 5891, UTS #46), any case, with or
 * without the trailing dot.
 * @param max maximum number of characters, if lower than DNS allows
 * @returns the canonical form (A-labels, lower case, no trailing dot), or the problem as text
 */
export function readDomainName(
  text: string,
  rules: NameRules,
  max: number = MAX_LENGTH,
): { name: string } | { problem: string } {
  const formatError = formatErrorOf(text)
  if (formatError !== undefined) return { problem: formatError }
  const name = domainToASCII(text).toLowerCase().replace(/\.$/, '')
  const problem = malformation(name, Math.min(max, MAX_LENGTH)) ?? publicness(name, rules)
  return problem === undefined ? { name } : { problem }
}
