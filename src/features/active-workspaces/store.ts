/** The look at a workspace by those who act for it without being its own feature. */
import { type Db, statement } from '../../database/connect.ts'

const holdActive = statement(
  'active_workspaces.hold',
  `SELECT FROM workspaces WHERE id = $1 AND status = 'active' FOR KEY SHARE`,
)

/** Keeps an active workspace from being deleted until the transaction ends. */
export const holdActiveWorkspace = async (db: Db, id: string): Promise<boolean> =>
  (await db.query(holdActive, [id])).length > 0
