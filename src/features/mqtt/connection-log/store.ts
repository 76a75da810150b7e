/** Set-based writes of connection attempts, and the last ones of a device or a principal. */
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf, type RowOf, sql, unnested } from '../../../platform/database/sql.ts'
import type { LastingKind } from '../credentials/identity.ts'
import { sessionOf } from './session-statements.ts'

/** Entries of one device or principal that are shown; hardly more are kept. */
export const KEPT_ATTEMPTS = 50

export interface AttemptWrite {
  kind: LastingKind
  /** UUID of the device or the principal. */
  principalUuid: string
  /** UUID; a second write of it adds to the first. */
  id: string
  /** Null when it was accepted. */
  refusal: string | null
  attempts: number
  clientId: string
  address: string
  protocolVersion: number
  /** Milliseconds since the epoch. */
  at: number
  lastAt: number
  endedAt: number | null
  endReason: string | null
  /** UUID of the process that holds the session. Null: refused, or on an external broker. */
  nodeId: string | null
}

/** The table of attempts, its column of the principal, and the table of principals. */
interface Log {
  log: string
  column: string
  principals: string
}

// An attempt names only its principal. Nothing is kept if there is no such principal.
const write = ({ log, column, principals }: Log) =>
  `INSERT INTO ${log} AS c (workspace_id, ${column}, id, refusal, attempts, client_id,
       address, protocol_version, at, last_at, ended_at, end_reason, replaced_at, node_id)
     SELECT h.workspace_id, h.id, t.id, t.refusal, t.attempts, t.client_id, t.address,
            t.protocol_version,
            to_timestamp(t.at / 1000.0), to_timestamp(t.last_at / 1000.0),
            to_timestamp(t.ended_at / 1000.0), t.end_reason,
            CASE t.end_reason WHEN 'taken_over' THEN to_timestamp(t.ended_at / 1000.0) END,
            t.node_id
     FROM ${unnested(
       't',
       `principalUuid uuid, id uuid, refusal text, attempts int, clientId text, address text,
        protocolVersion smallint, at float8, lastAt float8, endedAt float8, endReason text,
        nodeId uuid`,
     )}
     JOIN ${principals} h ON h.id = t.principal_uuid
     ORDER BY h.workspace_id, h.id, t.id
     ON CONFLICT (workspace_id, ${column}, id) DO UPDATE SET
       attempts = CASE WHEN c.refusal IS NULL THEN 1 ELSE c.attempts + excluded.attempts END,
       client_id = excluded.client_id, protocol_version = excluded.protocol_version,
       last_at = excluded.last_at,
       ended_at = coalesce(excluded.ended_at, c.ended_at),
       end_reason = coalesce(excluded.end_reason, c.end_reason),
       replaced_at = coalesce(excluded.replaced_at, c.replaced_at)`
const trim = ({ log, column, principals }: Log) =>
  `DELETE FROM ${log} c
     USING (SELECT h.workspace_id, h.id FROM ${principals} h
     WHERE h.id = ANY ($principalUuids::uuid[])) AS touched,
           LATERAL (SELECT o.id FROM ${log} o
                    WHERE o.workspace_id = touched.workspace_id AND o.${column} = touched.id
                    ORDER BY o.last_at DESC, o.id DESC OFFSET $kept) AS old
     WHERE c.workspace_id = touched.workspace_id AND c.${column} = touched.id AND c.id = old.id`

const last = ({ log, column }: Log) =>
  `SELECT c.refusal, c.attempts, c.client_id, c.address, c.protocol_version, c.at, c.last_at,
            c.ended_at, c.end_reason, ${sessionOf('c')} AS session
     FROM ${log} c WHERE c.workspace_id = $workspaceId AND c.${column} = $principalUuid
     ORDER BY c.last_at DESC, c.id DESC LIMIT $limit`

const find = ({ principals }: Log) =>
  `SELECT FROM ${principals} WHERE workspace_id = $workspaceId AND id = $principalUuid`

const ofDevice: Log = { log: 'connection_attempts', column: 'device_id', principals: 'devices' }
const ofPrincipal: Log = {
  log: 'mqtt_principal_attempts',
  column: 'principal_id',
  principals: 'mqtt_principals',
}
const statements = {
  device: {
    write: sql('connection_log.write.device')`${write(ofDevice)}`,
    trim: sql('connection_log.trim.device')`${trim(ofDevice)}`,
    last: sql('connection_log.last.device')`${last(ofDevice)}`,
    find: sql('connection_log.device')`${find(ofDevice)}`,
  },
  principal: {
    write: sql('connection_log.write.principal')`${write(ofPrincipal)}`,
    trim: sql('connection_log.trim.principal')`${trim(ofPrincipal)}`,
    last: sql('connection_log.last.principal')`${last(ofPrincipal)}`,
    find: sql('connection_log.principal')`${find(ofPrincipal)}`,
  },
}

export type AttemptRow = RowOf<typeof statements.device.last>

const newest = ({ log, column }: Log, kind: LastingKind) =>
  `(SELECT refusal, '${kind}' AS kind, ${column} AS principal_id, attempts, client_id, address, last_at
      FROM ${log}
      WHERE workspace_id = $workspaceId AND refusal IS NOT NULL
        AND last_at > now() - make_interval(hours => $hours)
      ORDER BY last_at DESC LIMIT $limit)`

/** The clients that tried last for each reason, with the counts of all of them. */
export const refusedClients = sql('connection_log.refused_clients')`
  WITH newest AS (
    ${newest(ofDevice, 'device')} UNION ALL ${newest(ofPrincipal, 'principal')}
  ), refused AS (
    SELECT refusal, kind, principal_id, sum(attempts)::int AS attempts, max(last_at) AS last_at,
           (array_agg(client_id ORDER BY last_at DESC))[1] AS client_id,
           (array_agg(address ORDER BY last_at DESC))[1] AS address
    FROM newest GROUP BY refusal, kind, principal_id
  ), ranked AS (
    SELECT *, row_number() OVER last AS rank,
           (count(*) OVER same)::int AS clients, (sum(attempts) OVER same)::int AS total
    FROM refused
    WINDOW same AS (PARTITION BY refusal),
           last AS (PARTITION BY refusal ORDER BY last_at DESC, principal_id)
  )
  SELECT refusal AS reason!, kind AS kind!, principal_id AS principal_id!, attempts AS attempts!,
         last_at AS last_at!, client_id AS client_id!, address AS address!, clients AS clients!,
         total AS total!
  FROM ranked WHERE rank <= $shown ORDER BY total DESC, refusal, rank`

async function writeOf(db: Db, kind: LastingKind, rows: readonly AttemptWrite[]): Promise<void> {
  if (rows.length === 0) return
  await statements[kind].write.run(db, columnsOf(rows))
  const principalUuids = toTrim(rows)
  if (principalUuids.length > 0)
    await statements[kind].trim.run(db, { principalUuids, kept: KEPT_ATTEMPTS })
}

/**
 * Principals whose log is shortened to what is shown: all with several entries in this write, and
 * one in eight of the others, by the random end of the entry's id. So a log has some more entries
 * than are shown, and a fleet that reconnects does not cost a search for each device.
 */
function toTrim(rows: readonly AttemptWrite[]): string[] {
  const written = new Set<string>()
  const chosen = new Set<string>()
  for (const { principalUuid, id } of rows) {
    if (written.has(principalUuid) || id.endsWith('0') || id.endsWith('8'))
      chosen.add(principalUuid)
    written.add(principalUuid)
  }
  return [...chosen]
}

export async function writeAttempts(db: Db, rows: readonly AttemptWrite[]): Promise<void> {
  for (const kind of ['device', 'principal'] as const) {
    await writeOf(
      db,
      kind,
      rows.filter((row) => row.kind === kind),
    )
  }
}

/** Newest first. @returns undefined when there is no such device or principal. */
export async function lastAttempts(
  db: Db,
  kind: LastingKind,
  workspaceId: string,
  principalUuid: string,
): Promise<AttemptRow[] | undefined> {
  const key = { workspaceId, principalUuid }
  const rows = await statements[kind].last.rows(db, { ...key, limit: KEPT_ATTEMPTS })
  return rows.length > 0 || (await statements[kind].find.any(db, key)) ? rows : undefined
}
