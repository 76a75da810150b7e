/**
 * The access gate. It runs before the body is read, so that a stranger learns nothing of what an
 * operation takes, and decides from the operation's data alone who may pass.
 */
import { callerHolds, permissionDenied } from '../access/holding.ts'
import {
  type Caller,
  carriersOf,
  type KnownCaller,
  kindNames,
  type PlatformKeyCaller,
  type UserCaller,
} from '../access/principal.ts'
import { Failure, type FailureCode } from '../errors.ts'
import { parseId } from '../lib/ids.ts'
import { carrierHint } from './credential-hint.ts'
import { type Presented, presentedCredential } from './credentials.ts'
import { isWorkspacePath, type Operation, WORKSPACE_PARAM } from './operation.ts'

/**
 * Turns a credential into who it stands for, or undefined for any that is not good now. It answers
 * without a promise when it knows the answer already.
 */
export type Authenticate = (
  presented: Presented,
  address: string,
) => KnownCaller | undefined | Promise<KnownCaller | undefined>

export interface Admission {
  caller: Caller
  credential: string
}

type AnyOperation = Pick<Operation, 'access'>

/** What `WWW-Authenticate` says for an operation (RFC 9110 section 11.6.1, RFC 6750 section 3). */
export function challenge(operation: AnyOperation, code: FailureCode): string {
  const { access } = operation
  const scheme =
    access !== 'public' && access.every((kind) => kind === 'provision-key')
      ? 'ServiceAuthCode'
      : 'Bearer'
  const error = code === 'credential_rejected' ? ', error="invalid_token"' : ''
  return `${scheme} realm="mooring"${error}`
}

/** The same words for every cause: only the credential's spelling and place show in them. */
function rejected(presented: Presented): Failure {
  const detail = carrierHint(presented)
  return new Failure('credential_rejected', detail === undefined ? {} : { detail })
}

/** Refuses a good credential of another kind, saying which kinds the operation takes. */
function demandKind(operation: AnyOperation, caller: KnownCaller, presented: Presented): void {
  const { access } = operation
  if (access === 'public') return
  if (!access.includes(caller.kind)) {
    const taken = access.map((kind) => kindNames[kind]).join(' or ')
    throw new Failure('wrong_credential_kind', {
      detail: `This operation takes a ${taken}; the credential is a ${kindNames[caller.kind]}.`,
    })
  }
  if (!carriersOf[caller.kind].includes(presented.carrier)) throw rejected(presented)
}

/**
 * Finds out who calls; public operations don't ask.
 * @param onKnown told who it is before the operation has its say, so that a refusal can name them.
 */
export function admit(
  operation: AnyOperation,
  rawHeaders: readonly string[],
  address: string,
  authenticate: Authenticate,
  onKnown?: (caller: KnownCaller) => void,
): Admission | Promise<Admission> {
  const presented = presentedCredential(rawHeaders)
  if (operation.access === 'public') return { caller: { kind: 'anonymous' }, credential: '' }
  if (presented === undefined) throw new Failure('credential_missing')
  const finish = (caller: KnownCaller | undefined): Admission => {
    if (caller === undefined) throw rejected(presented)
    onKnown?.(caller)
    demandKind(operation, caller, presented)
    return { caller, credential: presented.value }
  }
  const result = authenticate(presented, address)
  return result instanceof Promise ? result.then(finish) : finish(result)
}

/** A device that nobody has approved gets what keeps it alive, and nothing of the workspace. */
export function demandApproval(operation: Pick<Operation, 'unapproved'>, caller: Caller): void {
  if (caller.kind !== 'device' || caller.isApproved || operation.unapproved === 'allow') return
  throw new Failure('device_not_approved', { rule: 'approval' })
}

const NUMBER = /^[1-9]\d{0,8}$/

/** Reads the path's ids; one that can't be an id is as unknown as one that isn't there. */
export function readParams(
  operation: Pick<Operation, 'params'>,
  raw: Readonly<Record<string, string>>,
): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [name, { prefix, missing }] of Object.entries(operation.params)) {
    const text = raw[name] ?? ''
    const value = prefix === undefined ? NUMBER.exec(text)?.[0] : parseId(prefix, text)
    if (value === undefined) throw new Failure(missing)
    params[name] = value
  }
  return params
}

/**
 * Checks that the caller may do this in the workspace of the path.
 * @returns the workspace's UUID, or '' where the path has none.
 */
export function demandPermission(
  operation: Pick<Operation, 'path' | 'permission'> & Partial<Pick<Operation, 'selfParam'>>,
  caller: Caller,
  params: Readonly<Record<string, string>>,
): string {
  if (!isWorkspacePath(operation.path)) return ''
  const workspaceId = params[WORKSPACE_PARAM] as string
  const { permission, selfParam } = operation
  if (!seesWorkspace(caller, workspaceId)) throw new Failure('workspace_not_found')
  if (permission === undefined || callerHolds(caller, workspaceId, permission)) return workspaceId
  const isSelf =
    selfParam !== undefined && caller.kind === 'user' && params[selfParam] === caller.userId
  if (!isSelf) throw permissionDenied(permission)
  return workspaceId
}

function seesWorkspace(
  caller: Caller,
  workspaceId: string,
): caller is UserCaller | PlatformKeyCaller {
  if (caller.kind === 'user') return caller.roles.has(workspaceId)
  return caller.kind === 'platform-key' && caller.workspaceId === workspaceId
}

/**
 * The workspace that a request is kept to, from where it goes or else from who calls. Undefined for
 * what spans workspaces or has none yet: there, the rules alone decide by account or identity.
 */
export function scopeOf(caller: Caller, workspaceId: string): string | undefined {
  if (workspaceId !== '') return workspaceId
  return 'workspaceId' in caller ? (caller.workspaceId ?? undefined) : undefined
}
