/**
 * Whether a workspace is still there, for what has no gate before it: work in the background, and
 * phones that name a workspace themselves.
 */
import type { Db } from '../../database/connect.ts'
import { holdActiveWorkspace, holdWorkspace } from './store.ts'

/** After how long a workspace that was deleted is looked at again: it may have been restored. */
export const LOOK_AGAIN_MS = 60_000

/**
 * Whether a workspace may be acted for. In a transaction the answer holds until that ends: a
 * deletion waits for it.
 */
export const isActiveWorkspace = (db: Db, workspaceId: string): Promise<boolean> =>
  holdActiveWorkspace(db, workspaceId)

/**
 * Lets one transaction at a time count what a workspace has, and add to it. The count has to be a
 * statement after this one: what waits for a lock goes on seeing what was there before.
 */
export const countOneAtATime = (trx: Db, workspaceId: string): Promise<void> =>
  holdWorkspace(trx, workspaceId)
