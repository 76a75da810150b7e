/** The look at a workspace by those who act for it without being its own feature. */
import { type Db, statement } from '../../database/connect.ts'

const holdActive = statement(
  'active_workspaces.hold',
  `SELECT FROM workspaces WHERE id = $1 AND status = 'active' FOR KEY SHARE`,
)

// Who registers devices in it meanwhile, which takes a key share, is not held up.
const hold = statement(
  'active_workspaces.hold_for_counting',
  'SELECT FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)

/** Makes whoever holds it after this one wait until the transaction ends. */
export async function holdWorkspace(trx: Db, id: string): Promise<void> {
  await trx.query(hold, [id])
}

/** Keeps an active workspace from being deleted until the transaction ends. */
export const holdActiveWorkspace = async (db: Db, id: string): Promise<boolean> =>
  (await db.query(holdActive, [id])).length > 0
