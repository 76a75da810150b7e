/**
 * Host names that belong to a workspace. By such a name nobody is admitted but its own: every other
 * credential is as unknown there. The name is the one of the request, and the one that the client
 * has asked the TLS handshake for (SNI, RFC 6066) if that is another.
 */
import type { FastifyRequest } from 'fastify'
import type { KnownCaller } from '../access/principal.ts'
import { Failure } from '../errors.ts'
import type { Authenticate } from './gate.ts'

export interface HostDomain {
  /** UUID. */
  workspaceId: string
  /** Whether this API is what the name is for. */
  isForApi: boolean
}

/** What a host is, at once where that is known; undefined: nobody's in particular. */
export type FindHost = (host: string) => HostDomain | undefined | Promise<HostDomain | undefined>

type HostOptions = { authenticate: Authenticate; findHost?: FindHost }

function hostsOf(request: FastifyRequest): string[] {
  const host = request.hostname ?? ''
  const { servername } = request.raw.socket as { servername?: unknown }
  const asked = typeof servername === 'string' ? servername : ''
  return asked === '' || asked === host ? [host] : [host, asked]
}

/** @throws Failure misdirected_request for a name that is for something else. */
function demandApi(domain: HostDomain): HostDomain {
  if (!domain.isForApi) throw new Failure('misdirected_request')
  return domain
}

/** The domains that a request came by: none, one, or two where `Host` and handshake differ. */
export function domainsOf(
  request: FastifyRequest,
  findHost: FindHost | undefined,
): HostDomain[] | Promise<HostDomain[]> {
  if (findHost === undefined) return []
  const found = hostsOf(request).map(findHost)
  const demanded = (all: (HostDomain | undefined)[]): HostDomain[] =>
    all.filter((each) => each !== undefined).map(demandApi)
  const known = found.flatMap((each) => (each instanceof Promise ? [] : [each]))
  if (known.length === found.length) return demanded(known)
  return Promise.all(found.map((each) => Promise.resolve(each))).then(demanded)
}

/** The caller as far as a workspace's domain admits them; a user has no other workspace there. */
function narrowed(caller: KnownCaller, { workspaceId }: HostDomain): KnownCaller | undefined {
  if (caller.kind !== 'user') return caller.workspaceId === workspaceId ? caller : undefined
  const role = caller.roles.get(workspaceId)
  return role && { ...caller, roles: new Map([[workspaceId, role]]) }
}

/**
 * Finds out who calls, as the host of the request admits them. Whose the host is, is only asked for
 * a good credential, so that a stranger's requests cost nothing.
 */
export function authenticateAt(request: FastifyRequest, options: HostOptions): Authenticate {
  const { authenticate, findHost } = options
  if (findHost === undefined) return authenticate
  const narrow = (caller: KnownCaller | undefined): ReturnType<Authenticate> => {
    if (caller === undefined) return undefined
    const through = (domains: HostDomain[]): KnownCaller | undefined =>
      domains.reduce<KnownCaller | undefined>(
        (admitted, domain) => admitted && narrowed(admitted, domain),
        caller,
      )
    const domains = domainsOf(request, findHost)
    return domains instanceof Promise ? domains.then(through) : through(domains)
  }
  return (presented, address) => {
    const caller = authenticate(presented, address)
    return caller instanceof Promise ? caller.then(narrow) : narrow(caller)
  }
}
