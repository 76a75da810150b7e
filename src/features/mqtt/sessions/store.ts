/** Set-based writes of what brokers report: presence, first connections, last contact, states. */
import { INSERT_AUDIT } from '../../../platform/database/audit-insert.ts'
import { isAlive } from '../../../platform/database/node-life.ts'
import type { Db } from '../../../platform/database/connect.ts'
import {
  columnsOf,
  type RowOf,
  sql,
  unnested,
  withUnseenArrays,
} from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

export interface PresenceWrite {
  workspaceId: string
  deviceId: string
  connected: boolean
  /** Reported by a retained message, which does not say since when. */
  isRetained: boolean
  incarnation: number
  address: string
  protocolVersion: number
  /** Milliseconds since the epoch. */
  at: number
  /** UUID for the event of the transition. */
  eventId: string
  /** The device's id as callers see it. */
  resourceId: string
}

// Rows are locked in one order, so that two processes never deadlock. Devices that were deleted
// meanwhile are left out, and so are reports that are older than the stored presence.
export const writePresence = sql('mqtt_connections.presence')`
  WITH reported AS (
    SELECT * FROM ${unnested(
      't',
      `workspaceId uuid, deviceId uuid, connected bool, isRetained bool, incarnation bigint,
       address text, protocolVersion smallint, at float8, eventId uuid, resourceId text`,
    )}
  ), before AS (
    SELECT p.workspace_id, p.device_id, p.connected, p.incarnation
    FROM device_presence p JOIN reported USING (workspace_id, device_id)
    ORDER BY p.workspace_id, p.device_id FOR UPDATE OF p
  ), fresh AS (
    SELECT reported.*, d.device_key, before.connected AS was_connected
    FROM reported
    JOIN devices d ON d.workspace_id = reported.workspace_id AND d.id = reported.device_id
    LEFT JOIN before ON before.workspace_id = reported.workspace_id
      AND before.device_id = reported.device_id
    WHERE before.incarnation IS NULL OR before.incarnation <= reported.incarnation
  ), written AS (
    INSERT INTO device_presence AS p (workspace_id, device_id, connected, incarnation, node_id,
                                      address, protocol_version, connected_at, disconnected_at,
                                      last_seen_at)
    SELECT workspace_id, device_id, connected, incarnation, $nodeId, address, protocol_version,
           CASE WHEN connected AND NOT is_retained THEN to_timestamp(at / 1000.0) END,
           CASE WHEN NOT connected THEN to_timestamp(at / 1000.0) END,
           to_timestamp(at / 1000.0)
    FROM fresh ORDER BY workspace_id, device_id
    ON CONFLICT (workspace_id, device_id) DO UPDATE SET
      connected = excluded.connected, incarnation = excluded.incarnation,
      node_id = excluded.node_id, address = excluded.address,
      protocol_version = excluded.protocol_version,
      connected_at = coalesce(excluded.connected_at, p.connected_at),
      disconnected_at = coalesce(excluded.disconnected_at, p.disconnected_at),
      last_seen_at = greatest(excluded.last_seen_at, p.last_seen_at)
    WHERE p.incarnation <= excluded.incarnation
  )
  INSERT INTO events (workspace_id, id, type, subject_id, data)
  SELECT workspace_id, event_id,
         CASE WHEN connected THEN 'device.connected' ELSE 'device.disconnected' END,
         device_id,
         jsonb_build_object('device_id', resource_id, 'device_key', device_key,
                            'incarnation', incarnation)
  FROM fresh WHERE connected IS DISTINCT FROM coalesce(was_connected, false)`

/** Marks first connections; a device that is active already is left as it is. */
export const activateDevices = sql('mqtt_connections.activate')`
  WITH reported AS (
    SELECT * FROM ${unnested(
      't',
      'workspaceId uuid, deviceId uuid, eventId uuid, auditId uuid, resourceId text',
    )}
  ), chosen AS (
    SELECT d.workspace_id, d.id FROM devices d
    JOIN reported ON reported.workspace_id = d.workspace_id AND reported.device_id = d.id
    WHERE d.status = 'registered' ORDER BY d.workspace_id, d.id FOR UPDATE OF d
  ), activated AS (
    UPDATE devices d SET status = 'active', revision = revision + 1, updated_at = now()
    FROM chosen WHERE d.workspace_id = chosen.workspace_id AND d.id = chosen.id
    RETURNING d.workspace_id, d.id, d.device_key
  ), activations AS (
    SELECT a.workspace_id, a.id, reported.event_id, reported.audit_id, reported.resource_id,
           jsonb_build_object('device_id', reported.resource_id, 'device_key', a.device_key) AS data
    FROM activated a JOIN reported ON reported.device_id = a.id
  ), entry AS (
    ${INSERT_AUDIT}
    SELECT workspace_id, audit_id, 'service', NULL, 'device.activated', 'device', resource_id,
      NULL, NULL, data FROM activations
  )
  INSERT INTO events (workspace_id, id, type, subject_id, data)
  SELECT workspace_id, event_id, 'device.activated', id, data FROM activations`

export const writeContacts = sql('mqtt_connections.seen')`
  UPDATE device_presence p SET last_seen_at = to_timestamp(t.at / 1000.0)
  FROM ${unnested('t', 'workspaceId uuid, deviceId uuid, at float8')}
  WHERE p.workspace_id = t.workspace_id AND p.device_id = t.device_id
    AND p.last_seen_at < to_timestamp(t.at / 1000.0)`

const states = sql('mqtt_connections.states', withUnseenArrays)`
  INSERT INTO device_states AS s (workspace_id, device_id, state, version, reported_at)
  SELECT t.workspace_id, t.device_id, t.state, t.version, to_timestamp(t.version / 1000000.0)
  FROM ${unnested('t', 'workspaceId uuid, deviceId uuid, state jsonb, version bigint')}
  JOIN devices d ON d.workspace_id = t.workspace_id AND d.id = t.device_id
  ORDER BY t.workspace_id, t.device_id
  ON CONFLICT (workspace_id, device_id) DO UPDATE SET
    state = excluded.state, version = excluded.version, reported_at = excluded.reported_at,
    revision = s.revision + 1
  WHERE s.version < excluded.version`

/** Devices whose recorded connection belongs to a process that is no longer alive. */
export const findOrphans = sql('mqtt_connections.orphans')`
  SELECT p.workspace_id, p.device_id, p.incarnation, p.address, p.protocol_version
  FROM device_presence p
  WHERE p.connected AND p.node_id <> $nodeId
    AND NOT EXISTS (SELECT 1 FROM nodes n
                    WHERE n.id = p.node_id AND ${isAlive('n')})
  LIMIT 5000`

// Silence is measured by the database's clock, as in `orphans`, with a slightly shorter limit.
/** Records that a process is alive. @returns whether it had been silent or unknown for long */
export const beatNode = sql('mqtt_connections.beat')`
  WITH before AS (SELECT beat_at FROM nodes WHERE id = $id)
  INSERT INTO nodes (id) VALUES ($id) ON CONFLICT (id) DO UPDATE SET beat_at = now()
  RETURNING NOT EXISTS (SELECT 1 FROM before WHERE beat_at > now() - interval '12 seconds')
    AS was_silent!`
export const removeNode = sql('mqtt_connections.leave')`DELETE FROM nodes WHERE id = $id`
export const deleteOldNodes = sql('mqtt_connections.delete_old_nodes')`
  DELETE FROM nodes n WHERE n.beat_at < now() - interval '1 day'`

export interface Activation
  extends Pick<PresenceWrite, 'workspaceId' | 'deviceId' | 'eventId' | 'resourceId'> {
  auditId: string
}

export type Contact = Pick<PresenceWrite, 'workspaceId' | 'deviceId' | 'at'>

export interface StateWrite {
  workspaceId: string
  deviceId: string
  /** JSON text. */
  state: string
  /** Microseconds since the epoch. */
  version: number
}

export async function writeStates(db: Db, rows: readonly StateWrite[]): Promise<void> {
  await states.run(db, columnsOf(rows))
}

// Rows are locked in one order, so that two processes never deadlock.
/** Records when principals last connected. */
export const writePrincipalContacts = sql('mqtt_principal_contacts.touch')`
  WITH seen AS (
    SELECT p.workspace_id, p.id, s.incarnation, to_timestamp(s.at / 1000.0) AS at
    FROM unnest($workspaceId::uuid[], $principalId::uuid[], $incarnation::bigint[], $at::float8[])
      AS s (workspace_id, id, incarnation, at)
    JOIN mqtt_principals p ON p.workspace_id = s.workspace_id AND p.id = s.id
    ORDER BY p.workspace_id, p.id FOR NO KEY UPDATE OF p
  )
  UPDATE mqtt_principals p
  SET last_incarnation = seen.incarnation, last_connected_at = seen.at
  FROM seen
  WHERE p.workspace_id = seen.workspace_id AND p.id = seen.id
    AND p.last_incarnation < seen.incarnation`

export interface PrincipalContact {
  workspaceId: string
  principalId: string
  incarnation: number
  /** Milliseconds since the epoch. */
  at: number
}

// Set-based statements on the live sessions of all processes.

export type ConnectionRow = RowOf<typeof findConnection>

const columns = `workspace_id, id, principal_id, client_id, address, transport, protocol,
  credential_version, node, connected_at`

/** Rows of one node; `node` of each is ignored. */
export const insertConnections = sql('mqtt_connections.insert')`
  INSERT INTO mqtt_connections (${columns})
  SELECT t.workspace_id, t.id, t.principal_id, t.client_id, t.address, t.transport, t.protocol,
         t.credential_version, $nodeId, to_timestamp(t.connected_at / 1000.0)
  FROM ${unnested(
    't',
    `workspace_id uuid, id uuid, principal_id text, client_id text, address text, transport text,
     protocol text, credential_version integer, connected_at float8`,
  )}
  ON CONFLICT DO NOTHING`
// Rows are locked in one order, so that two statements never deadlock.
export const removeConnections = sql('mqtt_connections.remove')`
  WITH gone AS (
    SELECT c.workspace_id, c.id
    FROM unnest($workspaceId::uuid[], $id::uuid[]) AS t (workspace_id, id)
    JOIN mqtt_connections c USING (workspace_id, id)
    ORDER BY c.workspace_id, c.id FOR UPDATE OF c
  )
  DELETE FROM mqtt_connections c USING gone
  WHERE c.workspace_id = gone.workspace_id AND c.id = gone.id`
// The nodes are found one by one along their index: there are few of them, and many sessions.
/** Deletes connections of processes that are no longer alive. */
export const removeOrphans = sql('mqtt_connections.remove_orphans')`
  WITH RECURSIVE held AS (
    (SELECT node FROM mqtt_connections ORDER BY node LIMIT 1)
    UNION ALL
    SELECT (SELECT c.node FROM mqtt_connections c WHERE c.node > held.node ORDER BY c.node LIMIT 1)
    FROM held WHERE held.node IS NOT NULL
  ), gone AS (
    SELECT c.workspace_id, c.id
    FROM held JOIN mqtt_connections c ON c.node = held.node
    WHERE held.node <> $node
      AND NOT EXISTS (SELECT FROM nodes n WHERE 'embedded/' || n.id = held.node
                        AND ${isAlive('n')})
    LIMIT 5000 FOR UPDATE OF c SKIP LOCKED
  )
  DELETE FROM mqtt_connections c USING gone
  WHERE c.workspace_id = gone.workspace_id AND c.id = gone.id`
export const findConnection = sql('mqtt_connections.by_id')`
  SELECT ${columns} FROM mqtt_connections WHERE workspace_id = $workspaceId AND id = $id`
// Two statements without a join: a bad plan of one statement would read the setting of row level
// security for each pair of rows.
const lock = sql('mqtt_connections.lock')`
  SELECT id FROM mqtt_connections WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[])
  ORDER BY id FOR UPDATE`
const markDisconnect = sql('mqtt_connections.mark_disconnected')`
  UPDATE mqtt_connections SET cut_at = coalesce(cut_at, now())
  WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[]) RETURNING node`
export const connectionsToDisconnect = sql('mqtt_connections.to_disconnect')`
  SELECT workspace_id, id, principal_id FROM mqtt_connections
  WHERE node = $node AND cut_at IS NOT NULL ORDER BY id LIMIT $limit`

export const isDisconnecting = sql('mqtt_connections.has_disconnects')`
  SELECT FROM mqtt_connections
  WHERE workspace_id = $workspaceId AND node = $node AND cut_at IS NOT NULL LIMIT 1`

export const pageOfConnections = filteredList('mqtt_connections.filtered', {
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

export interface ConnectionRef {
  workspaceId: string
  id: string
}

/** Marks the listed connections that exist to be ended. @returns the node of each. */
export async function markEndedConnections(
  trx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<string[]> {
  await lock.run(trx, { workspaceId, ids })
  const rows = await markDisconnect.rows(trx, { workspaceId, ids })
  return rows.map(({ node }) => node)
}
