/** Queries on devices that are selected for work. */
import { sql } from '../../../platform/database/sql.ts'

/** Devices of the list that exist in the workspace. */
export const knownDevices = sql('fleet_jobs.known_devices')`
  SELECT id FROM devices WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])`
