/** Checks the TXT record that proves ownership of a domain. */
import { proofNameOf } from '../../../adapters/dns/domain-name.ts'
import { DnsFailure, type DnsResolver } from '../../../adapters/dns/resolver.ts'
import type { ProofError } from './schema.ts'
import type { DomainRow } from './store.ts'

/** `unclear` means that DNS gave no response: a broken name server must not harm anyone. */
export type Finding =
  | { kind: 'found' }
  | { kind: 'missing'; error: ProofError }
  | { kind: 'unclear'; error: ProofError }

/** How many foreign records a response shows, and how much of each. */
const SHOWN = 3
const SHOWN_CHARACTERS = 80

/** Quotes foreign text so that it is harmless where it is displayed. */
const quoted = (text: string): string => {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, '?')
  const shown = plain.length > SHOWN_CHARACTERS ? `${plain.slice(0, SHOWN_CHARACTERS)}…` : plain
  return JSON.stringify(shown)
}

const ADVICE =
  'A new record can take as long as the time to live of the old response to become visible.'

function missing(name: string, value: string, found: readonly string[]): Finding {
  const wanted = `a TXT record at ${name} with the value ${quoted(value)}`
  if (found.length === 0) {
    const message = `There is no TXT record at ${name}; looked for ${wanted}. ${ADVICE}`
    return { kind: 'missing', error: { code: 'record_missing', message } }
  }
  const shown = found.slice(0, SHOWN).map(quoted).join(', ')
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : ''
  const message = `Looked for ${wanted}, and found ${shown}${more}. ${ADVICE}`
  return { kind: 'missing', error: { code: 'record_differs', message } }
}

/** Queries DNS; there may be several records and strings, and CNAMEs are followed. */
export async function findProof(
  dns: DnsResolver,
  domain: Pick<DomainRow, 'name' | 'value'>,
): Promise<Finding> {
  const name = proofNameOf(domain.name)
  try {
    const found = await dns.txt(name)
    const isThere = found.some((text) => text.trim() === domain.value)
    return isThere ? { kind: 'found' } : missing(name, domain.value, found)
  } catch (error) {
    if (!(error instanceof DnsFailure)) throw error
    const message = `The DNS did not respond to the query for TXT records at ${name} (${error.reason}). Check the name servers of the domain, and try again.`
    return { kind: 'unclear', error: { code: 'dns_failure', message } }
  }
}
