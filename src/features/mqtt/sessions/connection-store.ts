/** Set-based statements on the live sessions of all processes. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

export type ConnectionRow = RowOf<typeof findConnection>

const columns = `workspace_id, id, principal_id, client_id, address, transport, protocol,
  credential_version, node, connected_at`

const insert = sql(
  'mqtt_connections.insert',
  `INSERT INTO mqtt_connections (${columns})
   SELECT t.workspace_id, t.id, t.principal_id, t.client_id, t.address, t.transport, t.protocol,
          t.credential_version, $nodeId, to_timestamp(t.connected_at / 1000.0)
   FROM unnest($workspaceIds::uuid[], $ids::uuid[], $principalIds::text[], $clientIds::text[],
     $addresses::text[], $transports::text[], $protocols::text[],
               $credentialVersions::integer[], $connectedAts::float8[])
     AS t (workspace_id, id, principal_id, client_id, address, transport, protocol,
           credential_version, connected_at)
   ON CONFLICT DO NOTHING`,
)
// Rows are locked in one order, so that two statements never wait for each other in a circle.
const remove = sql(
  'mqtt_connections.remove',
  `WITH gone AS (
     SELECT c.workspace_id, c.id
     FROM unnest($workspaceIds::uuid[], $ids::uuid[]) AS t (workspace_id, id)
     JOIN mqtt_connections c USING (workspace_id, id)
     ORDER BY c.workspace_id, c.id FOR UPDATE OF c
   )
   DELETE FROM mqtt_connections c USING gone
   WHERE c.workspace_id = gone.workspace_id AND c.id = gone.id`,
)
// The nodes are found one by one along their index: there are few of them, and many sessions.
/** Takes away what is said to be connected to a process that is no longer there. */
export const removeOrphans = sql(
  'mqtt_connections.remove_orphans',
  `WITH RECURSIVE held AS (
     (SELECT node FROM mqtt_connections ORDER BY node LIMIT 1)
     UNION ALL
     SELECT (SELECT c.node FROM mqtt_connections c WHERE c.node > held.node ORDER BY c.node LIMIT 1)
     FROM held WHERE held.node IS NOT NULL
   ), gone AS (
     SELECT c.workspace_id, c.id
     FROM held JOIN mqtt_connections c ON c.node = held.node
     WHERE held.node <> $node
       AND NOT EXISTS (SELECT FROM nodes n WHERE 'embedded/' || n.id = held.node
                         AND n.beat_at > now() - interval '15 seconds')
     LIMIT 5000 FOR UPDATE OF c SKIP LOCKED
   )
   DELETE FROM mqtt_connections c USING gone
   WHERE c.workspace_id = gone.workspace_id AND c.id = gone.id`,
)
export const findConnection = sql(
  'mqtt_connections.by_id',
  `SELECT ${columns} FROM mqtt_connections WHERE workspace_id = $workspaceId AND id = $id`,
)
// Two statements without a join: one that is planned badly would look at the setting of row level
// security for each pair of rows.
const lock = sql(
  'mqtt_connections.lock',
  `SELECT id FROM mqtt_connections WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[])
   ORDER BY id FOR UPDATE`,
)
const markDisconnect = sql(
  'mqtt_connections.mark_cut',
  `UPDATE mqtt_connections SET cut_at = coalesce(cut_at, now())
   WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[]) RETURNING node`,
)
export const connectionsToDisconnect = sql(
  'mqtt_connections.to_cut',
  `SELECT workspace_id, id, principal_id FROM mqtt_connections
   WHERE node = $node AND cut_at IS NOT NULL ORDER BY id LIMIT $limit`,
)

export const pageOfConnections = filteredList<ConnectionRow>({
  columns,
  table: 'mqtt_connections',
  fields: {
    principal_id: { sql: 'principal_id', isIndexed: true },
    client_id: { sql: 'client_id', isIndexed: true },
    address: { sql: 'address', isIndexed: true },
    node: { sql: 'node', isIndexed: true },
    transport: { sql: 'transport' },
    protocol: { sql: 'protocol' },
    connected_at: { sql: 'connected_at', isTimeOfId: true },
  },
})

/** Rows of one node; `node` of each is not looked at. */
export async function insertConnections(
  db: Db,
  node: string,
  rows: readonly Omit<ConnectionRow, 'node'>[],
): Promise<void> {
  await insert.run(db, {
    workspaceIds: rows.map((row) => row.workspace_id),
    ids: rows.map((row) => row.id),
    principalIds: rows.map((row) => row.principal_id),
    clientIds: rows.map((row) => row.client_id),
    addresses: rows.map((row) => row.address),
    transports: rows.map((row) => row.transport),
    protocols: rows.map((row) => row.protocol),
    credentialVersions: rows.map((row) => row.credential_version),
    connectedAts: rows.map((row) => row.connected_at),
    nodeId: node,
  })
}

export interface ConnectionRef {
  workspaceId: string
  id: string
}

export async function removeConnections(db: Db, refs: readonly ConnectionRef[]): Promise<void> {
  await remove.run(db, {
    workspaceIds: refs.map(({ workspaceId }) => workspaceId),
    ids: refs.map(({ id }) => id),
  })
}

/** Asks for the end of those that are there. @returns the node of each. */
export async function markEndedConnections(
  trx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  await lock.run(trx, { workspaceId, ids })
  const rows = await markDisconnect.rows(trx, { workspaceId, ids })
  return rows.map(({ node }) => node)
}
