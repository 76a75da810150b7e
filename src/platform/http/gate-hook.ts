/**
 * The access gate as a Fastify hook before the body is read: identifies the caller, applies rate
 * limits, checks access.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { type Caller, callerKey, type KnownCaller } from '../access/principal.ts'
import { Failure, type FailureCode } from '../errors/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import {
  type Admission,
  admit,
  type Authenticate,
  challenge,
  requireOperator,
  requirePermission,
  requireReady,
  meteredScope,
  readParams,
} from './gate.ts'
import { authenticateAt, domainsOf, type FindHost, type HostDomain } from './host-domain.ts'
import {
  type Bucket,
  CONSOLE_BASE,
  isPlanLimited,
  type Operation,
  type RequestInfo,
  WORKSPACE_PARAM,
} from './operation.ts'
import { limitHeaders, type LimitState } from './limit-headers.ts'
import type { RateLimits } from './rate-limit.ts'
import { cookiesOf } from './cookies.ts'
import { readIfMatch } from './entity-tag.ts'
import { readIdempotencyKey } from './idempotency.ts'

type Sent = Pick<FastifyRequest, 'headers' | 'host' | 'method' | 'protocol'>

/**
 * Browsers send `Sec-Fetch-Site` over HTTPS and on the local host; elsewhere `Origin` decides,
 * except for a GET, which changes nothing and whose response no other origin may read.
 */
function isSameOrigin({ headers, host, method, protocol }: Sent): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  if (headers.origin !== undefined) return headers.origin === `${protocol}://${host}`
  return method === 'GET' || method === 'HEAD'
}

export interface GateOptions {
  authenticate: Authenticate
  /** The caller with its present rights, whether its token has expired or not. */
  presentOf(caller: KnownCaller): MaybePromise<KnownCaller | undefined>
  /** Looks up the workspace that owns a host name; without it, all hosts are the service's own. */
  findHost?: FindHost
  rateLimits: RateLimits
  clock: Clock
  /**
   * Called for each request that is metered: in a workspace, or with one of its credentials.
   * @param isLimited whether the plan's limit on calls applies
   * @throws Failure plan_limit_reached
   */
  countCall(workspaceId: string, isLimited: boolean): void
  /** Called for each refused credential, for the audit log. */
  onRefused(refusal: Refusal): void
}

export interface Refusal {
  operationId: string
  code: FailureCode
  /** The setting of the credential that caused the refusal, if any. */
  rule?: string | undefined
  /** The resource of the request, if its rule could identify it. */
  resource?: { kind: string; id: string } | undefined
  /** Number of refusals, if rows of one request are reported together; 1 by default. */
  count?: number
  /** Undefined if the credential is unknown or missing. */
  caller: Caller | undefined
  /** UUID of the workspace that the caller belongs to and was refused in; '' otherwise. */
  workspaceId: string
  request: Pick<RequestInfo, 'id' | 'address'>
}

export interface Authorized extends Admission {
  params: Record<string, string>
  workspaceId: string
  /** UUID of the workspace that owns the host of a public request, to which it is then limited. */
  hostWorkspaceId: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the rule of the operation has still to count the request. */
    isUncounted: boolean
    auth: Authorized | undefined
  }
}

/**
 * Takes a point of the operation's bucket. Identities without a device are counted together, by
 * address and in all: otherwise anyone would get the budgets of as many callers as they create.
 */
async function takePoint(
  bucket: Bucket,
  { ip }: FastifyRequest,
  caller: Caller,
  limits: RateLimits,
): Promise<LimitState | undefined> {
  if (caller.kind === 'anonymous') return limits.consumeFrom(bucket, ip)
  if (caller.kind === 'moid' && !caller.holdsDevice) {
    const { workspaceId } = caller
    const state = await limits.consumeFrom(bucket, ip, `moids:${workspaceId ?? 'global'}`)
    // After that of the address, so that one address cannot use it up.
    if (workspaceId !== null && bucket !== 'safety') {
      await limits.consume('moid_calls_of_workspace', workspaceId)
    }
    return state
  }
  const own = caller.kind === 'provision-key' ? caller.ratePerMin : null
  return limits.consume(bucket, callerKey(caller), own ?? undefined)
}

/** Twice the longest token. */
const SMALL_BODY = 16_384

/** Whether a body can be read before anything is counted: it takes up hardly more than a socket. */
const isSmall = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= SMALL_BODY

async function requirePoints<Services>(
  { bucket, limitedBy }: Operation<Services>,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  limits: RateLimits,
): Promise<void> {
  if (limitedBy === 'rule' && isSmall(request)) {
    request.isUncounted = true
    return
  }
  const state = await takePoint(bucket, request, caller, limits)
  if (state !== undefined) reply.headers(limitHeaders(state))
}

/**
 * A public request names its workspace in the body: through a workspace's domain, only that one.
 */
async function publicHost<Services>(
  { access }: Operation<Services>,
  request: FastifyRequest,
  { findHost }: GateOptions,
): Promise<string | undefined> {
  if (access !== 'public') return undefined
  const found: HostDomain[] = await domainsOf(request, findHost)
  const [first, ...others] = found
  if (others.some((each) => each.workspaceId !== first?.workspaceId)) {
    throw new Failure('misdirected_request')
  }
  return first?.workspaceId
}

/** Everything that is decided before the body is read. */
export function gateHook<Services>(operation: Operation<Services>, options: GateOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    let caller: Caller | undefined
    let params: Record<string, string> = {}
    const { rawHeaders } = request.raw
    if (operation.base === CONSOLE_BASE && !isSameOrigin(request)) {
      throw new Failure('cross_site_request')
    }
    try {
      const authenticate = authenticateAt(request, options)
      const admission = await admit(operation, rawHeaders, request.ip, authenticate, (known) => {
        caller = known
      })
      await requirePoints(operation, request, reply, admission.caller, options.rateLimits)
      const hostWorkspaceId = await publicHost(operation, request, options)
      requireReady(operation, admission.caller)
      requireOperator(operation, admission.caller)
      params = readParams(operation, request.params as Record<string, string>)
      const workspaceId = requirePermission(operation, admission.caller, params)
      if (operation.needsFreshProof) requireFreshProof(admission.caller, options.clock.now())
      const metered = meteredScope(admission.caller, workspaceId)
      if (metered !== undefined) options.countCall(metered, isPlanLimited(operation))
      request.auth = { ...admission, params, workspaceId, hostWorkspaceId }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { code } = error
      options.onRefused({
        operationId: operation.id,
        code,
        caller,
        // The path's workspace counts only for callers who can see it; others could name any.
        workspaceId: code === 'permission_denied' ? (params[WORKSPACE_PARAM] ?? '') : '',
        request: { id: request.id, address: request.ip },
      })
      if (error.status === 401) reply.header('www-authenticate', challenge(operation, code))
      // Only these count against guessing: a valid credential of the same address keeps working.
      if (code === 'credential_rejected') {
        await options.rateLimits.consumeFrom('failures', request.ip)
      }
      throw error
    }
  }
}

/** Refusals of a key by its settings. */
export const isOutOfScope = (code: unknown): code is FailureCode =>
  code === 'key_scope_denied' || code === 'device_already_registered'

/** Reports a key that was used outside its limits, which only the operation's rule can detect. */
export function noteOutOfScope<Services>(
  operation: Operation<Services>,
  options: Pick<GateOptions, 'onRefused'>,
  request: FastifyRequest,
  refusal: Pick<Refusal, 'code' | 'rule' | 'resource' | 'count'>,
): void {
  options.onRefused({
    operationId: operation.id,
    ...refusal,
    caller: request.auth?.caller,
    workspaceId: '',
    request: { id: request.id, address: request.ip },
  })
}

/** How long a stream may continue after its right has ended. */
const STILL_MS = 1_000

/** Whether the credential is a token that has expired since the request started. */
function hasExpired(credential: string): boolean {
  const payload = credential.split('.')[1]
  if (payload === undefined) return false
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown }
    return typeof exp === 'number' && exp * 1000 <= Date.now()
  } catch {
    return false
  }
}

/**
 * Passes the gate again. Rejects if the caller could not start this request any more.
 * @returns the caller with its present rights
 */
export async function admitAgain<Services>(
  operation: Operation<Services>,
  options: Pick<GateOptions, 'authenticate' | 'findHost'>,
  request: FastifyRequest,
): Promise<Caller> {
  const { params } = request.auth as Authorized
  const authenticate = authenticateAt(request, options)
  const { caller } = await admit(operation, request.raw.rawHeaders, request.ip, authenticate)
  requireOperator(operation, caller)
  requirePermission(operation, caller, params)
  return caller
}

/** A request that started before its token expired may finish while the caller has the right. */
async function requirePresent<Services>(
  operation: Operation<Services>,
  { presentOf }: Pick<GateOptions, 'presentOf'>,
  { caller, params }: Authorized,
): Promise<void> {
  const present = caller.kind === 'anonymous' ? undefined : await presentOf(caller)
  if (present === undefined) throw new Failure('credential_rejected')
  requireOperator(operation, present)
  requirePermission(operation, present, params)
}

/**
 * For long requests: passes the gate again, at most once a second.
 * @returns a check that rejects once the caller could not start this request any more, except
 *   that its token may have expired
 */
export function stillAdmitted<Services>(
  operation: Operation<Services>,
  options: Pick<GateOptions, 'authenticate' | 'findHost' | 'presentOf'>,
  request: FastifyRequest,
): () => Promise<void> {
  const auth = request.auth as Authorized
  let checkedAt = performance.now()
  return async () => {
    if (performance.now() - checkedAt < STILL_MS) return
    checkedAt = performance.now()
    if (hasExpired(auth.credential)) await requirePresent(operation, options, auth)
    else await admitAgain(operation, options, request)
  }
}

/** @throws Failure invalid_request for a malformed `Idempotency-Key` */
export function requestInfo(
  operation: Pick<Operation, 'base' | 'method'>,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestInfo {
  const { headers } = request
  const key =
    operation.method === 'POST' ? readIdempotencyKey(headers['idempotency-key']) : undefined
  return {
    id: request.id,
    traceId: request.traceId,
    address: request.ip,
    userAgent: headers['user-agent']?.slice(0, 200) ?? '',
    credential: request.auth?.credential ?? '',
    hostWorkspaceId: request.auth?.hostWorkspaceId,
    ifMatch: readIfMatch(headers['if-match']),
    idempotencyKey: key,
    cookies: operation.base === CONSOLE_BASE ? cookiesOf(request, reply, CONSOLE_BASE) : undefined,
    showLimit: (state) => {
      if (state !== undefined) void reply.headers(limitHeaders(state))
    },
    links: new Map(),
    onClose: (listener) => void reply.raw.once('close', listener),
  }
}
