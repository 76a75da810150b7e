/**
 * Whether a workspace is active, for code that no gate precedes: background work, and phones that
 * name a workspace themselves.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { found } from '../../../platform/errors/errors.ts'
import { holdActiveWorkspace, holdWorkspace } from './store.ts'

/** How often a deleted workspace is checked again: it may be restored. */
export const RECHECK_MS = 60_000

/** Whether the workspace is active. In a transaction this holds until its end: a deletion waits. */
export const isActiveWorkspace = (db: Db, workspaceId: string): Promise<boolean> =>
  holdActiveWorkspace.any(db, { id: workspaceId })

/** The same, or it fails. @throws Failure workspace_not_found */
export async function requireActiveWorkspace(db: Db, workspaceId: string): Promise<void> {
  found(await holdActiveWorkspace.first(db, { id: workspaceId }), 'workspace_not_found')
}

/**
 * Serializes transactions that count what a workspace has and then add to it. The count must be a
 * later statement: one that waits for a lock keeps its older snapshot.
 */
export const countOneAtATime = (trx: Db, workspaceId: string): Promise<void> =>
  holdWorkspace.run(trx, { id: workspaceId })
