/**
 * The access gate. It runs before the body is read, so that unauthorized callers learn nothing
 * about an operation's input, and decides from the operation's declaration alone.
 */
import { callerHolds, permissionDenied } from '../access/holding.ts'
import {
  type Caller,
  callerKindOf,
  type CallerKind,
  type Carrier,
  carriersOf,
  kindNames,
  type KnownCaller,
  type StaffCaller,
} from '../access/principal.ts'
import { Failure, type FailureCode } from '../errors/errors.ts'
import { parseId, parseSentId } from '../lib/ids.ts'
import { DEVICE_TOKEN_PREFIX, PLATFORM_KEY_PREFIX, PROVISION_KEY_PREFIX } from '../lib/secrets.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import {
  isForOperators,
  isOwnAccountPath,
  isWorkspacePath,
  type Operation,
  WORKSPACE_PARAM,
} from './operation.ts'
import type { PathParam } from './path-params.ts'

/** The credential of a request. */
export interface Presented {
  carrier: Carrier
  value: string
}

const HEADERS: Readonly<Record<string, Carrier>> = {
  authorization: 'bearer',
  'x-api-key': 'x-api-key',
  'service-auth-code': 'service-auth-code',
}
const LENGTHS = new Set(Object.keys(HEADERS).map((name) => name.length))

const BEARER = /^bearer +([^\s]+)$/i

/**
 * Reads the raw headers: Node keeps only the first `Authorization` and joins repeated other
 * headers, so both could hide a second credential that a proxy might prefer.
 * @returns undefined if there is none; an empty value if it is malformed
 * @throws Failure ambiguous_credentials for more than one credential header
 */
function presentedCredential(rawHeaders: readonly string[]): Presented | undefined {
  let found: Presented | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (!LENGTHS.has(name.length)) continue
    const carrier = HEADERS[name.toLowerCase()]
    if (carrier === undefined) continue
    if (found !== undefined) throw new Failure('ambiguous_credentials')
    const raw = rawHeaders[at + 1] as string
    found = { carrier, value: carrier === 'bearer' ? (BEARER.exec(raw)?.[1] ?? '') : raw }
  }
  return found
}

/**
 * Resolves a credential to its caller; undefined if it is not currently valid. Synchronous when
 * cached.
 */
export type Authenticate = (
  presented: Presented,
  address: string,
) => MaybePromise<KnownCaller | undefined>

export interface Admission {
  caller: Caller
  credential: string
}

type AnyOperation = Pick<Operation, 'access' | 'takesPaymentToken'>

/** `WWW-Authenticate` for an operation (RFC 9110 section 11.6.1, RFC 6750 section 3). */
export function challenge(operation: AnyOperation, code: FailureCode): string {
  const { access } = operation
  const scheme =
    access !== 'public' && access.every((kind) => kind === 'provision-key')
      ? 'ServiceAuthCode'
      : 'Bearer'
  const error = code === 'credential_rejected' ? ', error="invalid_token"' : ''
  return `${scheme} realm="mooring"${error}`
}

const places: Record<Carrier, string> = {
  bearer: '`Authorization: Bearer …`',
  'x-api-key': '`X-API-Key: …`',
  'service-auth-code': '`service-auth-code: …`, without an Authorization header',
}

const keyFormats: readonly (readonly [prefix: string, kind: CallerKind, name: string])[] = [
  [PLATFORM_KEY_PREFIX, 'platform-key', kindNames['platform-key']],
  [PROVISION_KEY_PREFIX, 'provision-key', kindNames['provision-key']],
  [DEVICE_TOKEN_PREFIX, 'device', kindNames.device],
  // Users' and phones' tokens look alike.
  ['eyJ', 'user', 'JWT'],
]

/**
 * A hint for callers whose credential, judging by its format alone, was sent in the wrong header:
 * the same for valid and for invented ones. Undefined if the header fits.
 */
function carrierHint({ carrier, value }: Presented): string | undefined {
  if (carrier === 'bearer' && value === '')
    return 'The Authorization header takes the word Bearer and one credential.'
  const bare = value.replace(/^bearer +/i, '')
  const known = keyFormats.find(([prefix]) => bare.startsWith(prefix))
  if (known === undefined) return undefined
  const [, kind, name] = known
  if (bare === value && carriersOf[kind].includes(carrier)) return undefined
  return `A ${name} is sent as ${carriersOf[kind].map((each) => places[each]).join(' or as ')}.`
}

/** The same message for every cause; only the format and header of the credential show in it. */
function rejected(presented: Presented): Failure {
  const detail = carrierHint(presented)
  return new Failure('credential_rejected', detail === undefined ? {} : { detail })
}

/** Refuses a valid credential of the wrong kind, naming the kinds that the operation accepts. */
function requireKind(operation: AnyOperation, caller: KnownCaller, presented: Presented): void {
  const { access, takesPaymentToken } = operation
  if (access === 'public') return
  const onlyPays = caller.kind === 'user' && caller.onlyPays
  const isTaken = access.some((kind) => callerKindOf(kind) === caller.kind)
  if (!isTaken || (onlyPays && !takesPaymentToken)) {
    const taken = access.map((kind) => kindNames[kind]).join(' or ')
    const given = onlyPays ? 'token for payments' : kindNames[caller.kind]
    throw new Failure('wrong_credential_kind', {
      detail: `This operation takes a ${taken}; the credential is a ${given}.`,
    })
  }
  if (!carriersOf[caller.kind].includes(presented.carrier)) throw rejected(presented)
}

/**
 * Identifies the caller; public operations skip this.
 * @param onKnown called with the caller before the operation's checks, so that refusals can name it
 */
export function admit(
  operation: AnyOperation,
  rawHeaders: readonly string[],
  address: string,
  authenticate: Authenticate,
  onKnown?: (caller: KnownCaller) => void,
): MaybePromise<Admission> {
  const presented = presentedCredential(rawHeaders)
  if (operation.access === 'public') return { caller: { kind: 'anonymous' }, credential: '' }
  if (presented === undefined) throw new Failure('credential_missing')
  const finish = (caller: KnownCaller | undefined): Admission => {
    if (caller === undefined) throw rejected(presented)
    onKnown?.(caller)
    requireKind(operation, caller, presented)
    return { caller, credential: presented.value }
  }
  return andThen(authenticate(presented, address), finish)
}

/**
 * An operator is a person whose account is marked, in a session that is valid for the whole
 * service and has proved a second factor.
 */
export function requireOperator(operation: AnyOperation, caller: Caller): void {
  if (!isForOperators(operation) || caller.kind !== 'user') return
  if (!caller.isOperator || caller.limitedTo !== null) throw new Failure('operator_required')
  if (!caller.mfa) throw new Failure('mfa_required')
}

/**
 * An unapproved device can do what keeps it alive, and nothing in the workspace. A password that
 * the service made is valid for choosing another one.
 */
export function requireReady(
  { path, unapproved }: Pick<Operation, 'path' | 'unapproved'>,
  caller: Caller,
): void {
  if (caller.kind === 'device' && !caller.isApproved && unapproved !== 'allow') {
    throw new Failure('device_not_approved', { rule: 'approval' })
  }
  if (caller.kind === 'user' && caller.mustChangePassword && !isOwnAccountPath(path)) {
    throw new Failure('password_change_required')
  }
}

const NUMBER = /^[1-9]\d{0,8}$/

function readParam(param: PathParam, text: string): string | undefined {
  if (param.prefix === undefined) return NUMBER.exec(text)?.[0]
  return param.isSentByDevices ? parseSentId(param.prefix, text) : parseId(param.prefix, text)
}

/** Parses the path's ids; a malformed id is treated like an unknown one. */
export function readParams(
  operation: Pick<Operation, 'params'>,
  raw: Readonly<Record<string, string>>,
): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, param] of Object.entries(operation.params)) {
    const value = readParam(param, raw[name] ?? '')
    if (value === undefined) throw new Failure(param.missing)
    params[name] = value
  }
  return params
}

/**
 * Checks the caller's permission in the path's workspace, and its second factor.
 * @returns the workspace's UUID, or '' if the path has none
 */
export function requirePermission(
  { path, permission, selfParam }: Pick<Operation, 'path' | 'permission' | 'selfParam'>,
  caller: Caller,
  params: Readonly<Record<string, string>>,
): string {
  const workspaceId = isWorkspacePath(path) ? (params[WORKSPACE_PARAM] as string) : ''
  if (workspaceId !== '') {
    if (!seesWorkspace(caller, workspaceId)) throw new Failure('workspace_not_found')
    const isSelf =
      selfParam !== undefined && caller.kind === 'user' && params[selfParam] === caller.userId
    if (permission !== undefined && !isSelf && !callerHolds(caller, workspaceId, permission)) {
      throw permissionDenied(permission)
    }
  }
  requireSecondFactor(path, caller, workspaceId)
  return workspaceId
}

/**
 * In a workspace that requires a second factor, and everywhere if the installation does, a session
 * counts only once its person has proved one. One's own account stays open, to enrol it.
 */
function requireSecondFactor(path: string, caller: Caller, workspaceId: string): void {
  if (caller.kind !== 'user' || isOwnAccountPath(path)) return
  const { everywhere, workspaces } = caller.secondFactorMissing
  if (everywhere || workspaces.has(workspaceId)) throw new Failure('mfa_required')
}

function seesWorkspace(caller: Caller, workspaceId: string): caller is StaffCaller {
  if (caller.kind === 'user') return caller.roles.has(workspaceId)
  return caller.kind === 'platform-key' && caller.workspaceId === workspaceId
}

/**
 * The workspace to which a request is confined: the path's, else the caller's. Undefined if it
 * spans workspaces or has none yet; then the rules alone decide, by account or identity.
 */
export function scopeOf(caller: Caller, workspaceId: string): string | undefined {
  if (workspaceId !== '') return workspaceId
  return 'workspaceId' in caller ? (caller.workspaceId ?? undefined) : undefined
}

/**
 * The workspace to which a request is metered. Not for an identity without a device: anyone can
 * create one that names the workspace.
 */
export function meteredScope(caller: Caller, workspaceId: string): string | undefined {
  if (caller.kind === 'moid' && !caller.holdsDevice) return undefined
  return scopeOf(caller, workspaceId)
}
