/** Whether a caller holds a permission: used by the gate, and by rules that need more than one. */
import { Failure } from '../errors/errors.ts'
import { type Permission, permissions, type Role, roleHolds } from './permissions.ts'
import type { Caller, StaffCaller } from './principal.ts'

/** Whether the caller holds a permission in a workspace. */
export function callerHolds(
  caller: StaffCaller,
  workspaceId: string,
  permission: Permission,
): boolean {
  if (caller.kind === 'platform-key') {
    return caller.workspaceId === workspaceId && permissions[permission].platformKey
  }
  const role = caller.roles.get(workspaceId)
  return role !== undefined && roleHolds(role, permission)
}

/** The role of a user in a workspace; undefined for others, whose rights do not change. */
export const roleIn = (caller: Caller, workspaceId: string): Role | undefined =>
  caller.kind === 'user' ? caller.roles.get(workspaceId) : undefined

/** The refusal naming the missing permission, and who holds it. */
export function permissionDenied(permission: Permission): Failure {
  const { roles, platformKey } = permissions[permission]
  const holders = [...roles, ...(platformKey ? ['platform key'] : [])].join(', ')
  return new Failure('permission_denied', {
    detail: `This needs the permission ${permission}, which the caller does not hold. Held by: ${holders}.`,
  })
}
