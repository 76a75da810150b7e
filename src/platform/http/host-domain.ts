/**
 * Host names that belong to a workspace. Through such a name only that workspace's callers are
 * admitted; any other credential is treated as unknown. The name is the request's `Host`, and also
 * the TLS server name (SNI, RFC 6066) if that differs.
 */
import type { FastifyRequest } from 'fastify'
import type { KnownCaller } from '../access/principal.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { Failure } from '../errors/errors.ts'
import type { Authenticate } from './gate.ts'

export interface HostDomain {
  /** UUID. */
  workspaceId: string
  /** Whether the name is meant for this API. */
  isForApi: boolean
}

/** Looks up a host, synchronously if cached; undefined: it belongs to no workspace. */
export type FindHost = (host: string) => MaybePromise<HostDomain | undefined>

function hostsOf(request: FastifyRequest): string[] {
  const host = request.hostname ?? ''
  const { servername } = request.raw.socket as { servername?: unknown }
  const asked = typeof servername === 'string' ? servername : ''
  return asked === '' || asked === host ? [host] : [host, asked]
}

/** @throws Failure misdirected_request for a name that is meant for something else */
function requireApi(domain: HostDomain): HostDomain {
  if (!domain.isForApi) throw new Failure('misdirected_request')
  return domain
}

/** The domains of a request: none, one, or two if `Host` and SNI differ. */
export function domainsOf(
  request: FastifyRequest,
  findHost: FindHost | undefined,
): MaybePromise<HostDomain[]> {
  if (findHost === undefined) return []
  const found = hostsOf(request).map(findHost)
  const required = (all: (HostDomain | undefined)[]): HostDomain[] =>
    all.filter((each) => each !== undefined).map(requireApi)
  const known = found.flatMap((each) => (each instanceof Promise ? [] : [each]))
  if (known.length === found.length) return required(known)
  return Promise.all(found.map((each) => Promise.resolve(each))).then(required)
}

/** Narrows a caller to the domain's workspace; a user loses all other workspaces. */
function narrowed(caller: KnownCaller, { workspaceId }: HostDomain): KnownCaller | undefined {
  if (caller.kind !== 'user') return caller.workspaceId === workspaceId ? caller : undefined
  const role = caller.roles.get(workspaceId)
  return role && { ...caller, limitedTo: workspaceId, roles: new Map([[workspaceId, role]]) }
}

/**
 * Authenticates the caller and applies the host's restriction. The host is only looked up for valid
 * credentials, so that anonymous floods cost nothing.
 */
export function authenticateAt(
  request: FastifyRequest,
  { authenticate, findHost }: { authenticate: Authenticate; findHost?: FindHost },
): Authenticate {
  if (findHost === undefined) return authenticate
  const narrow = (caller: KnownCaller | undefined): ReturnType<Authenticate> => {
    if (caller === undefined) return undefined
    const through = (domains: HostDomain[]): KnownCaller | undefined =>
      domains.reduce<KnownCaller | undefined>(
        (admitted, domain) => admitted && narrowed(admitted, domain),
        caller,
      )
    return andThen(domainsOf(request, findHost), through)
  }
  return (presented, address) => andThen(authenticate(presented, address), narrow)
}
