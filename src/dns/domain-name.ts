/**
 * Names of domains that somebody may bring along: in one spelling each, and none that belongs to
 * nobody in particular. What is refused is refused before the DNS is asked; who has a name is said
 * by the DNS alone.
 */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

/** Where the value stands that proves who has a name. */
const PROOF_LABEL = '_service-verification'
export const proofNameOf = (domain: string): string => `${PROOF_LABEL}.${domain}`

/** A name in the DNS has 253 characters at most (RFC 1035 section 2.3.4), that of the proof too. */
const MOST = 253 - PROOF_LABEL.length - 1
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** What no DNS has an owner for (RFC 6761, RFC 7686, RFC 8375, RFC 9476, RFC 6762, ICANN). */
const SPECIAL = ['localhost', 'invalid', 'test', 'example', 'onion', 'alt', 'arpa']
/** What a private DNS may have, and the public one never will. */
const PRIVATE = ['internal', 'local', 'home.arpa', 'lan', 'intranet', 'corp', 'home', 'private']

export interface NameRules {
  /** Whether a host is the installation's own. */
  isOwn: (host: string) => boolean
  /** Whether names may be those of a private DNS. */
  allowsPrivate: boolean
}

const isBelow = (name: string, parents: readonly string[]): boolean =>
  parents.some((parent) => name === parent || name.endsWith(`.${parent}`))

/** What is wrong with how it is written, in words; undefined: nothing. */
function misspelling(text: string): string | undefined {
  if (text.includes('*')) return 'is a wildcard; add the name of one host'
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return 'is an IP address, not a domain'
  if (/[/\\@?#%:\s[\]]/.test(text)) return 'is not a host name alone, as devices.example.com'
  return undefined
}

function malformation(name: string, most: number): string | undefined {
  if (name === '') return 'is not a domain name'
  if (isIP(name) !== 0) return 'is an IP address, not a domain'
  if (name.length > most) return `is longer than ${most} characters`
  const labels = name.split('.')
  if (labels.some((label) => label === '')) return 'has an empty label'
  if (labels.some((label) => label.length > 63)) return 'has a label of more than 63 characters'
  if (!labels.every((label) => LABEL.test(label))) {
    return 'has a label that is not made of letters, digits and hyphens inside'
  }
  return labels.length < 2 ? 'has only one label' : undefined
}

/** Why nobody in particular has a name, in words; undefined: somebody may. */
function publicness(name: string, { isOwn, allowsPrivate }: NameRules): string | undefined {
  if (isOwn(name)) return 'belongs to the service itself'
  const isPrivate = isBelow(name, PRIVATE)
  if (!isPrivate && isBelow(name, SPECIAL)) return 'is reserved for special use'
  if (isPrivate && !allowsPrivate) return 'is not a name of the public DNS'
  const {
    publicSuffix,
    isIcann,
    isPrivate: isOfList,
  } = parse(name, {
    allowPrivateDomains: true,
    extractHostname: false,
  })
  if (publicSuffix === name) return 'is a public suffix, under which anybody may register'
  if (isIcann || isOfList || allowsPrivate) return undefined
  return 'is not below a known top-level domain'
}

/**
 * Reads a name as people write it: Unicode or A-labels (RFC 5891, UTS #46), in any case, with or
 * without the dot of the root.
 * @param most characters that it may have, where that is less than the DNS allows.
 * @returns the one spelling (A-labels, lower case, no dot at the end), or what is wrong, in words.
 */
export function readDomainName(
  text: string,
  rules: NameRules,
  most: number = MOST,
): { name: string } | { problem: string } {
  const misspelt = misspelling(text)
  if (misspelt !== undefined) return { problem: misspelt }
  const name = domainToASCII(text).toLowerCase().replace(/\.$/, '')
  const problem = malformation(name, Math.min(most, MOST)) ?? publicness(name, rules)
  return problem === undefined ? { name } : { problem }
}
