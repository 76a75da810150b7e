/** Statements of job actions, each for all devices of a chunk. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type DeviceRow = RowOf<typeof lockDevices>

// In a fixed order, to avoid deadlocks between jobs.
/** Locks the existing devices until the transaction ends. */
export const lockDevices = sql(
  'fleet_actions.lock',
  `SELECT id, device_key, status, suspended_from, approval, template_id, tags,
          claimed_at IS NOT NULL AS is_claimed!
   FROM devices WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])
   ORDER BY id FOR NO KEY UPDATE`,
)

const update = (set: string) =>
  `UPDATE devices SET ${set}, revision = revision + 1, updated_at = now()
   WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])`

const tag = sql(
  'fleet_actions.tag',
  `UPDATE devices SET tags = (tags || $set::jsonb) - $removed::text[], revision = revision + 1,
                      updated_at = now()
   WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])`,
)
const decisions = {
  approve: sql('fleet_actions.approve', update(`approval = 'approved'`)),
  reject: sql('fleet_actions.reject', update(`approval = 'rejected'`)),
}
export const moveToTemplate = sql('fleet_actions.move', update('template_id = $templateId?'))
export const markRotationAsked = sql(
  'fleet_actions.ask_to_rotate',
  update('rotation_asked_at = now()'),
)
type Ids = readonly string[]

export async function decide(
  db: Db,
  decision: keyof typeof decisions,
  workspaceId: string,
  ids: Ids,
): Promise<void> {
  await decisions[decision].run(db, { workspaceId, ids })
}

export async function changeTags(
  db: Db,
  workspaceId: string,
  ids: Ids,
  set: Record<string, string>,
  removed: readonly string[],
): Promise<void> {
  await tag.run(db, { workspaceId, ids, set: JSON.stringify(set), removed })
}
