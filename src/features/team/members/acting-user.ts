/**
 * Authorizes changes of a workspace's people under a lock. The gate checked the caller when the
 * request arrived; checking again under the lock keeps someone who has just lost a right from using
 * it once more.
 */
import * as store from './store.ts'
import { callerHolds, permissionDenied } from '../../../platform/access/holding.ts'
import {
  narrower,
  type Permission,
  permissions,
  type Role,
  roleHolds,
  rolePermissions,
} from '../../../platform/access/permissions.ts'
import type { StaffCaller } from '../../../platform/access/principal.ts'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { isLiveKey } from '../key-lineage/key-lineage.ts'
import type { Actor } from '../../../platform/record/event.ts'
import { parseId } from '../../../platform/lib/ids.ts'

export { lockMemberships } from './store.ts'

export interface ActingUser {
  workspaceName: string
  /** Whether the caller is this user. */
  isSelf: (userId: string) => boolean
  /** @throws Failure permission_denied */
  requirePermission: (permission: Permission) => void
}

/** Demands what it takes to give a role, or to change or remove someone who has it. */
export function requireFor(requirePermission: ActingUser['requirePermission'], role: Role): void {
  const permission = rolePermissions[role]
  if (permission !== undefined) requirePermission(permission)
}

/**
 * Serializes changes of members and invitations of the workspace until `trx` ends.
 * @throws Failure workspace_not_found if it is not active or the caller has left it;
 *   credential_rejected for a revoked key
 */
export async function lockToAct(
  { caller, workspaceId }: Pick<Context<StaffCaller>, 'caller' | 'workspaceId'>,
  trx: Db,
): Promise<ActingUser> {
  const workspace = await store.lockMemberships.first(trx, { id: workspaceId })
  if (workspace?.status !== 'active') throw new Failure('workspace_not_found')
  const present = await presentCaller(trx, caller, workspaceId)
  return {
    workspaceName: workspace.name,
    isSelf: (userId) => caller.kind === 'user' && caller.userId === userId,
    requirePermission(permission) {
      if (!callerHolds(present, workspaceId, permission)) throw permissionDenied(permission)
    },
  }
}

async function presentCaller(
  trx: Db,
  caller: StaffCaller,
  workspaceId: string,
): Promise<StaffCaller> {
  if (caller.kind === 'platform-key') {
    if (await isLiveKey.any(trx, { workspaceId, id: caller.keyId })) return caller
    throw new Failure('credential_rejected')
  }
  const membership = found(
    await store.findMember.first(trx, { workspaceId, userId: caller.userId }),
    'workspace_not_found',
  )
  const known = caller.roles.get(workspaceId) as Role
  return { ...caller, roles: new Map([[workspaceId, narrower(known, membership.role)]]) }
}

/**
 * Whether a user, a platform key, or the service itself still holds a permission: background work
 * must not act with a right that was lost since the request.
 */
export async function stillHolds(
  db: Db,
  workspaceId: string,
  { kind, id }: Actor,
  permission: Permission,
): Promise<boolean> {
  if (kind === 'service') return true
  if (kind === 'platform-key') {
    const keyId = parseId('key', id ?? '')
    if (keyId === undefined || !permissions[permission].platformKey) return false
    return isLiveKey.any(db, { workspaceId, id: keyId })
  }
  const userId = kind === 'user' ? parseId('usr', id ?? '') : undefined
  if (userId === undefined) return false
  const member = await store.findActiveRole.first(db, { workspaceId, userId })
  return member !== undefined && roleHolds(member.role, permission)
}
