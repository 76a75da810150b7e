/** Looks up groups named in a filter. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const byId = statement(
  'device_filters.group',
  'SELECT filter FROM device_groups WHERE workspace_id = $1 AND id = $2',
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
  return (await db.query<{ filter: string | null }>(byId, [workspaceId, id]))[0]?.filter
}
