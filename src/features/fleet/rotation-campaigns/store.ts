/** Queries on rotation campaigns. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'
import type { Origin } from '../../../platform/record/event.ts'
import type { CampaignDeviceStatus, CampaignStatus } from './schema.ts'

type Counts = Record<CampaignDeviceStatus, number>

export interface CampaignRow extends Counts {
  workspace_id: string
  id: string
  filter: string | null
  status: CampaignStatus
  failure: string | null
  wave_size: number | null
  wave_percent: number | null
  pause_s: number
  confirm_within_s: number
  max_failure_rate: number
  expanded_to: string | null
  wave: number
  wave_left: number
  judged_from: number
  wave_ended_at: number | null
  /** Whether the pause after the latest wave is over; false while the wave is unfinished. */
  is_pause_over: boolean
  total: number
  actor_kind: Origin['actor']['kind']
  actor_id: string | null
  request_id: string | null
  address: string | null
  created_at: number
  ended_at: number | null
}

const stored = `workspace_id, id, filter, status, failure, wave_size, wave_percent, pause_s,
  confirm_within_s, max_failure_rate, expanded_to, wave, wave_left, judged_from, wave_ended_at,
  total, due, waiting, notified, rotated, confirmed, failed, actor_kind, actor_id, request_id,
  address, created_at, ended_at`
const columns = `${stored},
  coalesce(wave_ended_at + make_interval(secs => pause_s) <= now(), false) AS is_pause_over`

const insert = statement(
  'rotation_campaigns.insert',
  `INSERT INTO rotation_campaigns (workspace_id, id, filter, status, wave_size, wave_percent,
     pause_s, confirm_within_s, max_failure_rate, total, due, actor_kind, actor_id, request_id,
     address)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14)
   RETURNING ${columns}`,
)
const countOpen = statement(
  'rotation_campaigns.count_open',
  `SELECT count(*) AS open FROM rotation_campaigns
   WHERE workspace_id = $1 AND ended_at IS NULL`,
)
const byId = statement(
  'rotation_campaigns.by_id',
  `SELECT ${columns} FROM rotation_campaigns WHERE workspace_id = $1 AND id = $2`,
)
const lock = statement('rotation_campaigns.lock', `${byId.text} FOR NO KEY UPDATE`)
const list: FilteredTable<CampaignRow> = {
  idOf: ({ id }) => id,
  columns: `${stored}, is_pause_over`,
  table: `(SELECT ${columns} FROM rotation_campaigns) AS campaigns`,
  fields: {
    status: { sql: 'status' },
    created_by: { sql: 'actor_id' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    ended_at: { sql: 'ended_at' },
  },
}
// A campaign resumed after a halt is evaluated by later waves.
const setStatus = statement(
  'rotation_campaigns.set_status',
  `UPDATE rotation_campaigns
   SET status = $3, failure = $4,
       ended_at = CASE WHEN $3 IN ('completed', 'cancelled', 'failed') THEN now() END,
       judged_from = CASE WHEN status = 'halted' AND $3 = 'running' THEN wave + 1
                          ELSE judged_from END
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)
const grow = statement(
  'rotation_campaigns.grow',
  `UPDATE rotation_campaigns
   SET total = total + $3, due = due + $3, expanded_to = $4,
       status = CASE WHEN $4::text IS NULL THEN 'running' ELSE status END
   WHERE workspace_id = $1 AND id = $2`,
)
const beginWave = statement(
  'rotation_campaigns.begin_wave',
  `UPDATE rotation_campaigns SET wave = wave + 1, wave_left = $3, wave_ended_at = NULL
   WHERE workspace_id = $1 AND id = $2`,
)
const endWave = statement(
  'rotation_campaigns.end_wave',
  `UPDATE rotation_campaigns SET wave_ended_at = now() WHERE workspace_id = $1 AND id = $2`,
)
const count = statement(
  'rotation_campaigns.count',
  `UPDATE rotation_campaigns
   SET wave_left = $3, due = due + $4, waiting = waiting + $5, notified = notified + $6,
       rotated = rotated + $7, confirmed = confirmed + $8, failed = failed + $9
   WHERE workspace_id = $1 AND id = $2`,
)

const ended = statement(
  'rotation_campaigns.ended',
  `SELECT workspace_id, id FROM rotation_campaigns
   WHERE ended_at < now() - make_interval(days => $1) LIMIT 1`,
)
const remove = statement(
  'rotation_campaigns.delete',
  'DELETE FROM rotation_campaigns WHERE workspace_id = $1 AND id = $2',
)

export interface NewCampaign {
  workspaceId: string
  id: string
  filter: string | null
  status: 'preparing' | 'running'
  waveSize: number | null
  wavePercent: number | null
  pauseS: number
  confirmWithinS: number
  maxFailureRate: number
  total: number
}

export async function insertCampaign(
  db: Db,
  campaign: NewCampaign,
  { actor, requestId, address }: Origin,
): Promise<CampaignRow> {
  const [row] = await db.query<CampaignRow>(insert, [
    campaign.workspaceId,
    campaign.id,
    campaign.filter,
    campaign.status,
    campaign.waveSize,
    campaign.wavePercent,
    campaign.pauseS,
    campaign.confirmWithinS,
    campaign.maxFailureRate,
    campaign.total,
    actor.kind,
    actor.id,
    requestId,
    address,
  ])
  return row as CampaignRow
}

export async function countOpenCampaigns(db: Db, workspaceId: string): Promise<number> {
  return (await db.query<{ open: number }>(countOpen, [workspaceId]))[0]?.open ?? 0
}

export async function findCampaign(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<CampaignRow | undefined> {
  return (await db.query<CampaignRow>(byId, [workspaceId, id]))[0]
}

export async function lockCampaign(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<CampaignRow | undefined> {
  return (await db.query<CampaignRow>(lock, [workspaceId, id]))[0]
}

/** Newest first. */
export const pageOfCampaigns = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

type Named = Pick<CampaignRow, 'workspace_id' | 'id'>

/** The campaign must be locked. */
export async function changeStatus(
  db: Db,
  { workspace_id, id }: Named,
  status: CampaignStatus,
  failure: string | null = null,
): Promise<CampaignRow> {
  const values = [workspace_id, id, status, failure]
  return (await db.query<CampaignRow>(setStatus, values))[0] as CampaignRow
}

/** @param next where to continue; undefined after the last devices */
export async function growCampaign(
  db: Db,
  { workspace_id, id }: Named,
  by: number,
  next: string | undefined,
): Promise<void> {
  await db.query(grow, [workspace_id, id, by, next ?? null])
}

export async function openWave(db: Db, { workspace_id, id }: Named, size: number): Promise<void> {
  await db.query(beginWave, [workspace_id, id, size])
}

export async function closeWave(db: Db, { workspace_id, id }: Named): Promise<void> {
  await db.query(endWave, [workspace_id, id])
}

/** Adds to the counters and sets how many devices of the wave remain to be asked. */
export async function addCounts(
  db: Db,
  { workspace_id, id, wave_left }: Named & { wave_left: number },
  by: Partial<Counts>,
): Promise<void> {
  const { due = 0, waiting = 0, notified = 0, rotated = 0, confirmed = 0, failed = 0 } = by
  const counts = [due, waiting, notified, rotated, confirmed, failed]
  await db.query(count, [workspace_id, id, wave_left, ...counts])
}

/** A campaign that ended before so many days. */
export async function findOldCampaign(db: Db, days: number): Promise<Named | undefined> {
  return (await db.query<Named>(ended, [days]))[0]
}

export async function deleteCampaign(db: Db, { workspace_id, id }: Named): Promise<void> {
  await db.query(remove, [workspace_id, id])
}
