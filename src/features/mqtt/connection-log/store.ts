/** Set-based writes of connection attempts, and the last ones of a device or a principal. */
import { type Db, type Statement, statement } from '../../../platform/database/connect.ts'
import type { LastingKind } from '../credentials/identity.ts'

/** Entries of one device or principal that are shown; hardly more are kept. */
export const KEPT_ATTEMPTS = 50

export interface AttemptWrite {
  kind: LastingKind
  /** UUID of the device or the principal. */
  holderId: string
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

interface Statements {
  write: Statement
  trim: Statement
  last: Statement
}

/**
 * @param kind stands in the statements' names
 * @param log the table of the attempts, and its column of whoever tried
 * @param holders the table of those
 */
const statementsOf = (
  kind: string,
  [log, column]: readonly [string, string],
  holders: string,
): Statements => ({
  // Whoever tries names only the holder, who may not be there: then nothing is kept of it.
  write: statement(
    `connection_log.write.${kind}`,
    `INSERT INTO ${log} AS c (workspace_id, ${column}, id, refusal, attempts, client_id,
       address, protocol_version, at, last_at, ended_at, end_reason)
     SELECT h.workspace_id, h.id, t.id, t.refusal, t.attempts, t.client_id, t.address, t.protocol,
            to_timestamp(t.at / 1000.0), to_timestamp(t.last_at / 1000.0),
            to_timestamp(t.ended_at / 1000.0), t.end_reason
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::text[], $6::text[],
                 $7::smallint[], $8::float8[], $9::float8[], $10::float8[], $11::text[])
       AS t (holder_id, id, refusal, attempts, client_id, address, protocol, at, last_at, ended_at,
             end_reason)
     JOIN ${holders} h ON h.id = t.holder_id
     ORDER BY h.workspace_id, h.id, t.id
     ON CONFLICT (workspace_id, ${column}, id) DO UPDATE SET
       attempts = CASE WHEN c.refusal IS NULL THEN 1 ELSE c.attempts + excluded.attempts END,
       client_id = excluded.client_id, last_at = excluded.last_at,
       ended_at = coalesce(excluded.ended_at, c.ended_at),
       end_reason = coalesce(excluded.end_reason, c.end_reason)`,
  ),
  trim: statement(
    `connection_log.trim.${kind}`,
    `DELETE FROM ${log} c
     USING (SELECT h.workspace_id, h.id FROM ${holders} h WHERE h.id = ANY ($1::uuid[])) AS touched,
           LATERAL (SELECT o.id FROM ${log} o
                    WHERE o.workspace_id = touched.workspace_id AND o.${column} = touched.id
                    ORDER BY o.last_at DESC, o.id DESC OFFSET $2) AS old
     WHERE c.workspace_id = touched.workspace_id AND c.${column} = touched.id AND c.id = old.id`,
  ),
  last: statement(
    `connection_log.last.${kind}`,
    `SELECT c.refusal, c.attempts, c.client_id, c.address, c.protocol_version, c.at, c.last_at,
            c.ended_at, c.end_reason
     FROM ${holders} h
     LEFT JOIN LATERAL (
       SELECT * FROM ${log} o
       WHERE o.workspace_id = h.workspace_id AND o.${column} = h.id
       ORDER BY o.last_at DESC, o.id DESC LIMIT $3
     ) AS c ON true
     WHERE h.workspace_id = $1 AND h.id = $2
     ORDER BY c.last_at DESC, c.id DESC`,
  ),
})

const statements: Readonly<Record<LastingKind, Statements>> = {
  device: statementsOf('device', ['connection_attempts', 'device_id'], 'devices'),
  principal: statementsOf(
    'principal',
    ['mqtt_principal_attempts', 'principal_id'],
    'mqtt_principals',
  ),
}

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

async function writeOf(db: Db, kind: LastingKind, rows: readonly AttemptWrite[]): Promise<void> {
  if (rows.length === 0) return
  await db.query(statements[kind].write, [
    rows.map((row) => row.holderId),
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
  const holders = toTrim(rows)
  if (holders.length > 0) await db.query(statements[kind].trim, [holders, KEPT_ATTEMPTS])
}

/**
 * Whose log is cut to what is shown: all with several entries in this write, and by the random end
 * of the entry's id one in eight of the others. So a log has some more entries than are shown, and
 * a fleet that reconnects is not searched device by device for what could be cut.
 */
function toTrim(rows: readonly AttemptWrite[]): string[] {
  const written = new Set<string>()
  const chosen = new Set<string>()
  for (const { holderId, id } of rows) {
    if (written.has(holderId) || id.endsWith('0') || id.endsWith('8')) chosen.add(holderId)
    written.add(holderId)
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
  holderId: string,
): Promise<AttemptRow[] | undefined> {
  const values = [workspaceId, holderId, KEPT_ATTEMPTS]
  const rows = await db.query<AttemptRow | { at: null }>(statements[kind].last, values)
  return rows.length === 0 ? undefined : rows.filter((row) => row.at !== null)
}
