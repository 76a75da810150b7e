/** Looks up groups named in a filter. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

const byId = sql(
  'device_filters.group',
  'SELECT filter FROM device_groups WHERE workspace_id = $workspaceId AND id = $id',
)

/**
 * @returns the group's filter; null if its members are explicit; undefined if there is no such
 * group
 */
export async function findGroupFilter(
  db: Pick<Db, 'query'>,
  workspaceId: string,
  id: string,
): Promise<string | null | undefined> {
  return (await byId.first(db, { workspaceId, id }))?.filter
}
