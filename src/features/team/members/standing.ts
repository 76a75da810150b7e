/**
 * Rechecks permissions for background work: a right lost since the request must not keep acting.
 */
import { type Permission, permissions, roleHolds } from '../../../platform/access/permissions.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Actor } from '../../../platform/record/event.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { isLiveKey } from '../key-lineage/key-lineage.ts'
import * as store from './store.ts'

/** Whether a user, a platform key, or the service itself still holds a permission. */
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
    return isLiveKey(db, workspaceId, keyId)
  }
  const userId = kind === 'user' ? parseId('usr', id ?? '') : undefined
  if (userId === undefined) return false
  const role = await store.findActiveRole(db, workspaceId, userId)
  return role !== undefined && roleHolds(role, permission)
}
