/** Statements of job actions, each for all devices of a chunk. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface DeviceRow {
  id: string
  device_key: string
  status: 'registered' | 'active' | 'suspended' | 'decommissioned'
  suspended_from: 'registered' | 'active' | null
  approval: 'approved' | 'pending' | 'rejected'
  template_id: string | null
  tags: Record<string, string>
  is_claimed: boolean
}

// In a fixed order, to avoid deadlocks between jobs.
const lock = statement(
  'fleet_actions.lock',
  `SELECT id, device_key, status, suspended_from, approval, template_id, tags,
          claimed_at IS NOT NULL AS is_claimed
   FROM devices WHERE workspace_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
)

const update = (name: string, set: string, from = '') =>
  statement(
    `fleet_actions.${name}`,
    `UPDATE devices d SET ${set}, revision = d.revision + 1, updated_at = now()
     ${from} WHERE d.workspace_id = $1 AND d.id = ANY($2::uuid[])`,
  )

const tag = statement(
  'fleet_actions.tag',
  `UPDATE devices SET tags = (tags || $3::jsonb) - $4::text[], revision = revision + 1,
                      updated_at = now()
   WHERE workspace_id = $1 AND id = ANY($2::uuid[])`,
)
const decisions = {
  approve: update('approve', `approval = 'approved'`),
  reject: update('reject', `approval = 'rejected'`),
}
const move = update('move', 'template_id = $3')
const askToRotate = update('ask_to_rotate', 'rotation_asked_at = now()')
type Ids = readonly string[]

/** Locks the existing devices until the transaction ends. */
export const lockDevices = (db: Db, workspaceId: string, ids: Ids): Promise<DeviceRow[]> =>
  db.query(lock, [workspaceId, ids])

export async function decide(
  db: Db,
  decision: keyof typeof decisions,
  workspaceId: string,
  ids: Ids,
): Promise<void> {
  await db.query(decisions[decision], [workspaceId, ids])
}

export async function changeTags(
  db: Db,
  workspaceId: string,
  ids: Ids,
  set: Record<string, string>,
  removed: readonly string[],
): Promise<void> {
  await db.query(tag, [workspaceId, ids, JSON.stringify(set), removed])
}

export async function moveToTemplate(
  db: Db,
  workspaceId: string,
  ids: Ids,
  templateId: string | null,
): Promise<void> {
  await db.query(move, [workspaceId, ids, templateId])
}

export async function markRotationAsked(db: Db, workspaceId: string, ids: Ids): Promise<void> {
  await db.query(askToRotate, [workspaceId, ids])
}
