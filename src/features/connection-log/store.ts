/** Set-based writes of connection attempts, and the last ones of a device. */
import { type Db, statement } from '../../database/connect.ts'

/** Entries of one device that are kept and shown. */
export const KEPT_ATTEMPTS = 50

export interface AttemptWrite {
  deviceId: string
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
}

// Whoever tries names the device alone, which may not be there: then nothing is kept of it.
const write = statement(
  'connection_log.write',
  `INSERT INTO connection_attempts AS c (workspace_id, device_id, id, refusal, attempts, client_id,
     address, protocol_version, at, last_at, ended_at, end_reason)
   SELECT d.workspace_id, d.id, t.id, t.refusal, t.attempts, t.client_id, t.address, t.protocol,
          to_timestamp(t.at / 1000.0), to_timestamp(t.last_at / 1000.0),
          to_timestamp(t.ended_at / 1000.0), t.end_reason
   FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::text[], $6::text[],
               $7::smallint[], $8::float8[], $9::float8[], $10::float8[], $11::text[])
     AS t (device_id, id, refusal, attempts, client_id, address, protocol, at, last_at, ended_at,
           end_reason)
   JOIN devices d ON d.id = t.device_id
   ORDER BY d.workspace_id, d.id, t.id
   ON CONFLICT (workspace_id, device_id, id) DO UPDATE SET
     attempts = CASE WHEN c.refusal IS NULL THEN 1 ELSE c.attempts + excluded.attempts END,
     client_id = excluded.client_id, last_at = excluded.last_at,
     ended_at = coalesce(excluded.ended_at, c.ended_at),
     end_reason = coalesce(excluded.end_reason, c.end_reason)`,
)
const trim = statement(
  'connection_log.trim',
  `DELETE FROM connection_attempts c
   USING (SELECT d.workspace_id, d.id FROM devices d WHERE d.id = ANY ($1::uuid[])) AS touched,
         LATERAL (SELECT o.id FROM connection_attempts o
                  WHERE o.workspace_id = touched.workspace_id AND o.device_id = touched.id
                  ORDER BY o.last_at DESC, o.id DESC OFFSET $2) AS old
   WHERE c.workspace_id = touched.workspace_id AND c.device_id = touched.id AND c.id = old.id`,
)

export interface AttemptRow {
  refusal: string | null
  attempts: number
  client_id: string
  address: string
  protocol_version: number
  at: number
  last_at: number
  ended_at: number | null
  end_reason: string | null
}

const last = statement(
  'connection_log.last',
  `SELECT c.refusal, c.attempts, c.client_id, c.address, c.protocol_version, c.at, c.last_at,
          c.ended_at, c.end_reason
   FROM devices d
   LEFT JOIN LATERAL (
     SELECT * FROM connection_attempts o
     WHERE o.workspace_id = d.workspace_id AND o.device_id = d.id
     ORDER BY o.last_at DESC, o.id DESC LIMIT $3
   ) AS c ON true
   WHERE d.workspace_id = $1 AND d.id = $2
   ORDER BY c.last_at DESC, c.id DESC`,
)

export async function writeAttempts(db: Db, rows: readonly AttemptWrite[]): Promise<void> {
  await db.query(write, [
    rows.map((row) => row.deviceId),
    rows.map((row) => row.id),
    rows.map((row) => row.refusal),
    rows.map((row) => row.attempts),
    rows.map((row) => row.clientId),
    rows.map((row) => row.address),
    rows.map((row) => row.protocolVersion),
    rows.map((row) => row.at),
    rows.map((row) => row.lastAt),
    rows.map((row) => row.endedAt),
    rows.map((row) => row.endReason),
  ])
  await db.query(trim, [[...new Set(rows.map(({ deviceId }) => deviceId))], KEPT_ATTEMPTS])
}

/** Newest first. @returns undefined when there is no such device. */
export async function lastAttempts(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<AttemptRow[] | undefined> {
  const values = [workspaceId, deviceId, KEPT_ATTEMPTS]
  const rows = await db.query<AttemptRow | { at: null }>(last, values)
  return rows.length === 0 ? undefined : rows.filter((row) => row.at !== null)
}
