/** Set-based statements on the live sessions of all processes. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export interface ConnectionRow {
  workspace_id: string
  id: string
  principal_id: string
  client_id: string
  address: string
  transport: string
  protocol: string
  credential_version: number
  node: string
  connected_at: number
}

const columns = `workspace_id, id, principal_id, client_id, address, transport, protocol,
  credential_version, node, connected_at`

const insert = statement(
  'mqtt_connections.insert',
  `INSERT INTO mqtt_connections (${columns})
   SELECT t.workspace_id, t.id, t.principal_id, t.client_id, t.address, t.transport, t.protocol,
          t.credential_version, $10, to_timestamp(t.connected_at / 1000.0)
   FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
               $8::integer[], $9::float8[])
     AS t (workspace_id, id, principal_id, client_id, address, transport, protocol,
           credential_version, connected_at)
   ON CONFLICT DO NOTHING`,
)
// Rows are locked in one order, so that two statements never wait for each other in a circle.
const remove = statement(
  'mqtt_connections.remove',
  `WITH gone AS (
     SELECT c.workspace_id, c.id FROM unnest($1::uuid[], $2::uuid[]) AS t (workspace_id, id)
     JOIN mqtt_connections c USING (workspace_id, id)
     ORDER BY c.workspace_id, c.id FOR UPDATE OF c
   )
   DELETE FROM mqtt_connections c USING gone
   WHERE c.workspace_id = gone.workspace_id AND c.id = gone.id`,
)
// The nodes are found one by one along their index: there are few of them, and many sessions.
const removeLost = statement(
  'mqtt_connections.remove_orphans',
  `WITH RECURSIVE held AS (
     (SELECT node FROM mqtt_connections ORDER BY node LIMIT 1)
     UNION ALL
     SELECT (SELECT c.node FROM mqtt_connections c WHERE c.node > held.node ORDER BY c.node LIMIT 1)
     FROM held WHERE held.node IS NOT NULL
   ), gone AS (
     SELECT c.workspace_id, c.id
     FROM held JOIN mqtt_connections c ON c.node = held.node
     WHERE held.node <> $1
       AND NOT EXISTS (SELECT FROM nodes n WHERE 'embedded/' || n.id = held.node
                         AND n.beat_at > now() - interval '15 seconds')
     LIMIT 5000 FOR UPDATE OF c SKIP LOCKED
   )
   DELETE FROM mqtt_connections c USING gone
   WHERE c.workspace_id = gone.workspace_id AND c.id = gone.id`,
)
const byId = statement(
  'mqtt_connections.by_id',
  `SELECT ${columns} FROM mqtt_connections WHERE workspace_id = $1 AND id = $2`,
)
// Two statements without a join: one that is planned badly would look at the setting of row level
// security for each pair of rows.
const lock = statement(
  'mqtt_connections.lock',
  `SELECT id FROM mqtt_connections WHERE workspace_id = $1 AND id = ANY ($2::uuid[])
   ORDER BY id FOR UPDATE`,
)
const markDisconnect = statement(
  'mqtt_connections.mark_cut',
  `UPDATE mqtt_connections SET cut_at = coalesce(cut_at, now())
   WHERE workspace_id = $1 AND id = ANY ($2::uuid[]) RETURNING node`,
)
const toDisconnect = statement(
  'mqtt_connections.to_cut',
  `SELECT workspace_id, id, principal_id FROM mqtt_connections
   WHERE node = $1 AND cut_at IS NOT NULL ORDER BY id LIMIT $2`,
)

const list: FilteredTable<ConnectionRow> = {
  idOf: ({ id }) => id,
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
}

/** Rows of one node; `node` of each is not looked at. */
export async function insertConnections(
  db: Db,
  node: string,
  rows: readonly Omit<ConnectionRow, 'node'>[],
): Promise<void> {
  await db.query(insert, [
    rows.map((row) => row.workspace_id),
    rows.map((row) => row.id),
    rows.map((row) => row.principal_id),
    rows.map((row) => row.client_id),
    rows.map((row) => row.address),
    rows.map((row) => row.transport),
    rows.map((row) => row.protocol),
    rows.map((row) => row.credential_version),
    rows.map((row) => row.connected_at),
    node,
  ])
}

export interface ConnectionRef {
  workspaceId: string
  id: string
}

export async function removeConnections(db: Db, refs: readonly ConnectionRef[]): Promise<void> {
  await db.query(remove, [refs.map(({ workspaceId }) => workspaceId), refs.map(({ id }) => id)])
}

/** Takes away what is said to be connected to a process that is no longer there. */
export async function removeOrphans(db: Db, node: string): Promise<void> {
  await db.query(removeLost, [node])
}

export const findConnection = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<ConnectionRow | undefined> => (await db.query<ConnectionRow>(byId, [workspaceId, id]))[0]

export const pageOfConnections = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

/** Asks for the end of those that are there. @returns the node of each. */
export async function markEndedConnections(
  trx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  await trx.query(lock, [workspaceId, ids])
  const rows = await trx.query<{ node: string }>(markDisconnect, [workspaceId, ids])
  return rows.map(({ node }) => node)
}

export interface DisconnectRow {
  workspace_id: string
  id: string
  principal_id: string
}

export const connectionsToDisconnect = (
  db: Db,
  node: string,
  limit: number,
): Promise<DisconnectRow[]> => db.query(toDisconnect, [node, limit])
