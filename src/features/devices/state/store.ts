/** Queries on single device states; broker messages are written in batches elsewhere. */
import type { Db, PointReader } from '../../../platform/database/connect.ts'
import { isJoined, type RowOf, sql } from '../../../platform/database/sql.ts'

const ofDevice = sql('device_states.of_device')`
  SELECT s.state, s.version, s.reported_at, s.revision
  FROM devices d LEFT JOIN device_states s ON s.workspace_id = d.workspace_id
    AND s.device_id = d.id
  WHERE d.workspace_id = $workspaceId AND d.id = $id`
// Locks the device, since there may be no state yet and two first writes must see each other.
const lockDevice = sql('device_states.lock_device')`
  SELECT 1 FROM devices WHERE workspace_id = $workspaceId AND id = $id FOR NO KEY UPDATE`
const lock = sql('device_states.lock')`
  SELECT state, version, reported_at, revision FROM device_states
  WHERE workspace_id = $workspaceId AND device_id = $deviceId FOR UPDATE`
// This write is newer than the stored state, whatever a broker's clock said.
/** `$version` is in microseconds since the epoch. */
export const writeState = sql('device_states.write')`
  INSERT INTO device_states AS s (workspace_id, device_id, state, version, reported_at)
  VALUES ($workspaceId, $deviceId, $state, $version::bigint,
    to_timestamp($version::bigint / 1000000.0))
  ON CONFLICT (workspace_id, device_id) DO UPDATE SET
    state = excluded.state, version = greatest(excluded.version, s.version + 1),
    reported_at = to_timestamp(greatest(excluded.version, s.version + 1) / 1000000.0),
    revision = s.revision + 1
  RETURNING state, version, reported_at, revision`
export type StateRow = RowOf<typeof writeState>

/** @returns undefined if there is no such device, null if it has no state */
export async function findState(
  db: PointReader,
  workspaceId: string,
  deviceId: string,
): Promise<StateRow | null | undefined> {
  const row = await ofDevice.first(db, { workspaceId, id: deviceId })
  return row && (isJoined<StateRow>(row, 'version') ? row : null)
}

/** The same, locked until the transaction ends. */
export async function lockState(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<StateRow | null | undefined> {
  if ((await lockDevice.count(db, { workspaceId, id: deviceId })) === 0) return undefined
  return (await lock.rows(db, { workspaceId, deviceId }))[0] ?? null
}
