/**
 * Texts of statements on work over many devices: a table of jobs or campaigns, and the table of
 * their items, one for each device.
 */
import { filteredList, type PageOf } from '../../../platform/database/filtered-list.ts'
import type { Statements } from '../../../platform/database/sql.ts'

interface Tables {
  work: string
  /** The columns of a row. */
  columns: string
  items: string
  /** The column of an item that has the id of its work. */
  of: string
  /** The status of an item that was not tried. */
  untried: string
  /** The other counts that grow with `$added` devices. */
  grows?: string
  /** Condition on `w`, which ended long ago and is still needed. */
  unless?: string
}

/** The texts, for `sql` with the names of each kind. */
export function workTexts({ work, columns, items, of, untried, grows = '', unless }: Tables) {
  const byId = 'WHERE workspace_id = $workspaceId AND id = $id'
  const itemsOf = `${items} WHERE workspace_id = $workspaceId AND ${of} = $id`
  return {
    find: `SELECT ${columns} FROM ${work} ${byId}`,
    lock: `SELECT ${columns} FROM ${work} ${byId} FOR NO KEY UPDATE`,
    countOpen: `SELECT count(*) AS open FROM ${work}
                WHERE workspace_id = $workspaceId AND ended_at IS NULL`,
    grow: `UPDATE ${work}
           SET total = total + $added, ${grows} expanded_to = $expandedTo?,
               status = CASE WHEN $expandedTo?::text IS NULL THEN 'running' ELSE status END
           ${byId}`,
    findOld: `SELECT workspace_id, id FROM ${work} w
              WHERE ended_at < now() - make_interval(days => $days)
                ${unless === undefined ? '' : `AND NOT ${unless}`}
              ORDER BY ended_at LIMIT 1`,
    delete: `DELETE FROM ${work} ${byId}`,
    insertItems: `INSERT INTO ${items} (workspace_id, ${of}, device_id)
                  SELECT $workspaceId, $id, unnest($deviceIds::uuid[])
                  ON CONFLICT DO NOTHING RETURNING 1 AS new`,
    untriedItems: `SELECT device_id AS id FROM ${itemsOf} AND status = '${untried}'
                   ORDER BY device_id LIMIT $limit`,
    deleteItems: `DELETE FROM ${itemsOf}
                    AND device_id = ANY (ARRAY(SELECT device_id FROM ${itemsOf} LIMIT $limit))
                  RETURNING 1 AS gone`,
  }
}

/** Lists the devices of one job or campaign. */
export const itemList = <Name extends keyof Statements>(
  name: Name,
  { items: table, of: partOf }: Pick<Tables, 'items' | 'of'>,
  columns: string,
  more: Record<string, { sql: string }> = {},
): PageOf<Statements[Name]['row']> =>
  filteredList(name, {
    columns: `device_id, status, code, ended_at, ${columns}`,
    more: `(SELECT d.device_key FROM devices d
            WHERE d.workspace_id = $1 AND d.id = seen.device_id) AS device_key`,
    table,
    partOf,
    order: { column: 'device_id', type: 'uuid', isUpwards: true },
    fields: {
      device_id: { sql: 'device_id' },
      status: { sql: 'status', isIndexed: true },
      code: { sql: 'code', isIndexed: true, indexHas: 'code IS NOT NULL' },
      ended_at: { sql: 'ended_at' },
      ...more,
    },
  })
