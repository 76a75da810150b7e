/** Queries on whether a workspace is active, for other features. */
import { sql } from '../../../platform/database/sql.ts'

/** Keeps an active workspace from being deleted until the transaction ends. */
export const holdActiveWorkspace = sql('active_workspaces.hold')`
  SELECT FROM workspaces WHERE id = $id AND status = 'active' FOR KEY SHARE`

// Does not block the registration of devices, which takes a key share lock.
/** Blocks other holders until the transaction ends. */
export const holdWorkspace = sql('active_workspaces.hold_for_counting')`
  SELECT FROM workspaces WHERE id = $id FOR NO KEY UPDATE`
