/**
 * DNS queries through c-ares, never getaddrinfo, which would occupy the thread pool in which
 * passwords are hashed. The duration of a query is bounded, whatever the servers do.
 */
import { Resolver } from 'node:dns/promises'
import { codeOf } from '../../platform/lib/system-errors.ts'

/** DNS could not be queried or gave no response, which says nothing about the records. */
export class DnsFailure extends Error {
  override name = 'DnsFailure'
  /** The c-ares code in lower case: `servfail`, `timeout`, `refused`, `connrefused`… */
  readonly reason: string

  constructor(code: string, cause: unknown) {
    const reason = code.replace(/^E/, '').toLowerCase()
    super(`The DNS did not respond (${reason}).`, { cause })
    this.reason = reason
  }
}

export interface DnsResolver {
  /**
   * IPv4 and IPv6 addresses of a name, IPv4 first; empty if it has none or does not exist.
   * @throws DnsFailure if neither kind could be queried, or one could not and the other is empty
   */
  addresses(name: string): Promise<string[]>
  /**
   * TXT records of a name, each with its strings joined (RFC 1035 section 3.3.14); empty if there
   * are none or the name does not exist. Follows CNAMEs.
   * @throws DnsFailure
   */
  txt(name: string): Promise<string[]>
}

export interface DnsResolverOptions {
  /** Such as `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:53`; the system's if unset. */
  servers?: readonly string[] | undefined
  /** For the first attempt at one server; later attempts may take twice as long. */
  timeoutMs?: number
  /** Attempts per server. */
  tries?: number
}

/** Longer than a resolver needs to follow a chain of delegations. */
const TIMEOUT_MS = 2_000
const TRIES = 2
/** Upper bound for all attempts together. */
const LONGEST_MS = 8_000

/** Responses that mean "nothing": no such name, or no record of the type. */
const NOTHING = ['ENOTFOUND', 'ENODATA']

export function createDnsResolver(options: DnsResolverOptions = {}): DnsResolver {
  const { servers = [], timeoutMs = TIMEOUT_MS, tries = TRIES } = options

  /** One channel per query: giving up on one must not cancel the others. */
  async function ask<Found>(question: (resolver: Resolver) => Promise<Found[]>) {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (servers.length > 0) resolver.setServers(servers)
    const end = setTimeout(() => resolver.cancel(), LONGEST_MS)
    try {
      return await question(resolver)
    } catch (error) {
      const code = codeOf(error) || 'unknown'
      if (NOTHING.includes(code)) return []
      throw new DnsFailure(code === 'ECANCELLED' ? 'ETIMEOUT' : code, error)
    } finally {
      clearTimeout(end)
    }
  }

  return {
    async addresses(name) {
      const responses = await Promise.allSettled([
        ask((resolver) => resolver.resolve4(name)),
        ask((resolver) => resolver.resolve6(name)),
      ])
      const found = responses.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const failed = responses.find((each) => each.status === 'rejected')
      if (found.length === 0 && failed !== undefined) throw failed.reason
      return found
    },
    async txt(name) {
      const records = await ask((resolver) => resolver.resolveTxt(name))
      return records.map((strings) => strings.join(''))
    },
  }
}
