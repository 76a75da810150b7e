/** Queries on single device states; broker messages are written in batches elsewhere. */
import { type Db, type PointReader, statement } from '../../../platform/database/connect.ts'

export interface StateRow {
  state: unknown
  /** Microseconds since the epoch. */
  version: number
  reported_at: number
  revision: number
}

const ofDevice = statement(
  'device_states.of_device',
  `SELECT s.state, s.version, s.reported_at, s.revision
   FROM devices d LEFT JOIN device_states s ON s.workspace_id = d.workspace_id AND s.device_id = d.id
   WHERE d.workspace_id = $1 AND d.id = $2`,
)
// Locks the device, since there may be no state yet and two first writes must see each other.
const lockDevice = statement(
  'device_states.lock_device',
  'SELECT 1 FROM devices WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE',
)
const lock = statement(
  'device_states.lock',
  `SELECT state, version, reported_at, revision FROM device_states
   WHERE workspace_id = $1 AND device_id = $2 FOR UPDATE`,
)
// This write is newer than the stored state, whatever a broker's clock said.
const write = statement(
  'device_states.write',
  `INSERT INTO device_states AS s (workspace_id, device_id, state, version, reported_at)
   VALUES ($1, $2, $3, $4::bigint, to_timestamp($4::bigint / 1000000.0))
   ON CONFLICT (workspace_id, device_id) DO UPDATE SET
     state = excluded.state, version = greatest(excluded.version, s.version + 1),
     reported_at = to_timestamp(greatest(excluded.version, s.version + 1) / 1000000.0),
     revision = s.revision + 1
   RETURNING state, version, reported_at, revision`,
)

/** @returns undefined if there is no such device, null if it has no state */
export async function findState(
  db: PointReader,
  workspaceId: string,
  deviceId: string,
): Promise<StateRow | null | undefined> {
  const [row] = await db.query<StateRow | { version: null }>(ofDevice, [workspaceId, deviceId])
  return row?.version === null ? null : row
}

/** The same, locked until the transaction ends. */
export async function lockState(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<StateRow | null | undefined> {
  if ((await db.query(lockDevice, [workspaceId, deviceId])).length === 0) return undefined
  return (await db.query<StateRow>(lock, [workspaceId, deviceId]))[0] ?? null
}

/** @param nowUs microseconds since the epoch. */
export async function writeState(
  db: Db,
  workspaceId: string,
  deviceId: string,
  state: unknown,
  nowUs: number,
): Promise<StateRow> {
  const values = [workspaceId, deviceId, JSON.stringify(state), nowUs]
  return (await db.query<StateRow>(write, values))[0] as StateRow
}
