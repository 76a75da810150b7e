/** Queries on whether a workspace is active, for other features. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const holdActive = statement(
  'active_workspaces.hold',
  `SELECT FROM workspaces WHERE id = $1 AND status = 'active' FOR KEY SHARE`,
)

// Does not block the registration of devices, which takes a key share lock.
const hold = statement(
  'active_workspaces.hold_for_counting',
  'SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)

/** Blocks other holders until the transaction ends. */
export async function holdWorkspace(trx: Db, id: string): Promise<void> {
  await trx.query(hold, [id])
}

/** Keeps an active workspace from being deleted until the transaction ends. */
export const holdActiveWorkspace = async (db: Db, id: string): Promise<boolean> =>
  (await db.query(holdActive, [id])).length > 0
