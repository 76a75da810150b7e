/**
 * Questions to the DNS, by c-ares and never by getaddrinfo: that would take threads of the pool in
 * which passwords are hashed. How long one question may take is bounded, whatever the servers do.
 */
import { Resolver } from 'node:dns/promises'

/** The DNS could not be asked, or did not answer: that says nothing of what stands there. */
export class DnsFailure extends Error {
  override name = 'DnsFailure'
  /** As c-ares names it, in lower case: `servfail`, `timeout`, `refused`, `connrefused`… */
  readonly reason: string

  constructor(code: string, cause: unknown) {
    const reason = code.replace(/^E/, '').toLowerCase()
    super(`The DNS did not answer (${reason}).`, { cause })
    this.reason = reason
  }
}

export interface DnsResolver {
  /**
   * IPv4 and IPv6 addresses of a name, IPv4 first; none when it has none, or is not there.
   * @throws DnsFailure when neither kind could be asked for, or one could not and there is none of
   * the other.
   */
  addresses(name: string): Promise<string[]>
  /**
   * The texts of the TXT records at a name, whose strings are joined (RFC 1035 section 3.3.14);
   * none when there are none, or the name is not there. A CNAME is followed.
   * @throws DnsFailure
   */
  txt(name: string): Promise<string[]>
}

export interface DnsResolverOptions {
  /** As `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:53`; none: those of the system. */
  servers?: readonly string[] | undefined
  /** Of the first try of one server; later ones may take twice as long. */
  timeoutMs?: number
  /** Of each server. */
  tries?: number
}

/** Longer than any resolver needs for a chain of delegations. */
const TIMEOUT_MS = 2_000
const TRIES = 2
/** The end of all tries together. */
const LONGEST_MS = 8_000

/** Answers that say that there is nothing: the name is not there, or has no record of the type. */
const NOTHING = ['ENOTFOUND', 'ENODATA']

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? 'unknown'

export function createDnsResolver(options: DnsResolverOptions = {}): DnsResolver {
  const { servers = [], timeoutMs = TIMEOUT_MS, tries = TRIES } = options

  /** A channel for each question: to give up on one must not cancel the others. */
  async function ask<Answer>(question: (resolver: Resolver) => Promise<Answer[]>) {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (servers.length > 0) resolver.setServers(servers)
    const end = setTimeout(() => resolver.cancel(), LONGEST_MS)
    try {
      return await question(resolver)
    } catch (error) {
      const code = codeOf(error)
      if (NOTHING.includes(code)) return []
      throw new DnsFailure(code === 'ECANCELLED' ? 'ETIMEOUT' : code, error)
    } finally {
      clearTimeout(end)
    }
  }

  return {
    async addresses(name) {
      const answers = await Promise.allSettled([
        ask((resolver) => resolver.resolve4(name)),
        ask((resolver) => resolver.resolve6(name)),
      ])
      const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      const failed = answers.find((each) => each.status === 'rejected')
      if (found.length === 0 && failed !== undefined) throw failed.reason
      return found
    },
    async txt(name) {
      const records = await ask((resolver) => resolver.resolveTxt(name))
      return records.map((strings) => strings.join(''))
    },
  }
}
