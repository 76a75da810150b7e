/**
 * Whether a workspace is still there, for what has no gate before it: work in the background, and
 * phones that name a workspace themselves.
 */
import type { Db } from '../../database/connect.ts'
import { holdActiveWorkspace } from './store.ts'

/** After how long a workspace that was deleted is looked at again: it may have been restored. */
export const LOOK_AGAIN_MS = 60_000

/**
 * Whether a workspace may be acted for. In a transaction the answer holds until that ends: a
 * deletion waits for it.
 */
export const isActiveWorkspace = (db: Db, workspaceId: string): Promise<boolean> =>
  holdActiveWorkspace(db, workspaceId)
