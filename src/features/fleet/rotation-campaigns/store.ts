/** Queries on rotation campaigns. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
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
  coalesce(wave_ended_at + make_interval(secs => pause_s) <= now(), false) AS is_pause_over!`

const insert = sql(
  'rotation_campaigns.insert',
  `INSERT INTO rotation_campaigns (workspace_id, id, filter, status, wave_size, wave_percent,
     pause_s, confirm_within_s, max_failure_rate, total, due, actor_kind, actor_id, request_id,
     address)
   VALUES ($workspaceId, $id, $filter?, $status, $waveSize?, $wavePercent?, $pauseS,
     $confirmWithinS, $maxFailureRate, $total, $total, $actorKind, $actorId?, $requestId?,
       $address?)
   RETURNING ${columns}`,
)
const countOpen = sql(
  'rotation_campaigns.count_open',
  `SELECT count(*) AS open FROM rotation_campaigns
   WHERE workspace_id = $workspaceId AND ended_at IS NULL`,
)
export const findCampaign = sql(
  'rotation_campaigns.by_id',
  `SELECT ${columns} FROM rotation_campaigns WHERE workspace_id = $workspaceId AND id = $id`,
)
export const lockCampaign = sql(
  'rotation_campaigns.lock',
  `${findCampaign.source} FOR NO KEY UPDATE`,
)
/** Newest first. */
export const pageOfCampaigns = filteredList<CampaignRow>({
  columns: `${stored}, is_pause_over`,
  table: `(SELECT ${columns} FROM rotation_campaigns) AS campaigns`,
  fields: {
    status: { sql: 'status' },
    created_by: { sql: 'actor_id' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    ended_at: { sql: 'ended_at' },
  },
})
// A campaign resumed after a halt is evaluated by later waves.
const setStatus = sql(
  'rotation_campaigns.set_status',
  `UPDATE rotation_campaigns
   SET status = $status, failure = $failure?,
       ended_at = CASE WHEN $status IN ('completed', 'cancelled', 'failed') THEN now() END,
       judged_from = CASE WHEN status = 'halted' AND $status = 'running' THEN wave + 1
                          ELSE judged_from END
   WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`,
)
const grow = sql(
  'rotation_campaigns.grow',
  `UPDATE rotation_campaigns
   SET total = total + $added, due = due + $added, expanded_to = $expandedTo?,
       status = CASE WHEN $expandedTo?::text IS NULL THEN 'running' ELSE status END
   WHERE workspace_id = $workspaceId AND id = $id`,
)
export const openWave = sql(
  'rotation_campaigns.begin_wave',
  `UPDATE rotation_campaigns SET wave = wave + 1, wave_left = $waveLeft, wave_ended_at = NULL
   WHERE workspace_id = $workspaceId AND id = $id`,
)
export const closeWave = sql(
  'rotation_campaigns.end_wave',
  `UPDATE rotation_campaigns SET wave_ended_at = now() WHERE workspace_id = $workspaceId
     AND id = $id`,
)
const count = sql(
  'rotation_campaigns.count',
  `UPDATE rotation_campaigns
   SET wave_left = $waveLeft, due = due + $due, waiting = waiting + $waiting, notified = notified + $notified,
       rotated = rotated + $rotated, confirmed = confirmed + $confirmed, failed = failed + $failed
   WHERE workspace_id = $workspaceId AND id = $id`,
)

/** A campaign that ended before so many days. */
export const findOldCampaign = sql(
  'rotation_campaigns.ended',
  `SELECT workspace_id, id FROM rotation_campaigns
   WHERE ended_at < now() - make_interval(days => $days) LIMIT 1`,
)
export const deleteCampaign = sql(
  'rotation_campaigns.delete',
  'DELETE FROM rotation_campaigns WHERE workspace_id = $workspaceId AND id = $id',
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
  return insert.one(db, {
    workspaceId: campaign.workspaceId,
    id: campaign.id,
    filter: campaign.filter,
    status: campaign.status,
    waveSize: campaign.waveSize,
    wavePercent: campaign.wavePercent,
    pauseS: campaign.pauseS,
    confirmWithinS: campaign.confirmWithinS,
    maxFailureRate: campaign.maxFailureRate,
    total: campaign.total,
    actorKind: actor.kind,
    actorId: actor.id,
    requestId,
    address,
  })
}

export async function countOpenCampaigns(db: Db, workspaceId: string): Promise<number> {
  return (await countOpen.one(db, { workspaceId })).open
}

type Named = Pick<CampaignRow, 'workspace_id' | 'id'>

/** The campaign must be locked. */
export async function changeStatus(
  db: Db,
  { workspace_id, id }: Named,
  status: CampaignStatus,
  failure: string | null = null,
): Promise<CampaignRow> {
  return setStatus.one(db, { workspaceId: workspace_id, id, status, failure })
}

/** @param next where to continue; undefined after the last devices */
export async function growCampaign(
  db: Db,
  { workspace_id, id }: Named,
  by: number,
  next: string | undefined,
): Promise<void> {
  await grow.run(db, { workspaceId: workspace_id, id, added: by, expandedTo: next ?? null })
}

/** Adds to the counters and sets how many devices of the wave remain to be asked. */
export async function addCounts(
  db: Db,
  { workspace_id, id, wave_left }: Named & { wave_left: number },
  by: Partial<Counts>,
): Promise<void> {
  const { due = 0, waiting = 0, notified = 0, rotated = 0, confirmed = 0, failed = 0 } = by
  const counts = { due, waiting, notified, rotated, confirmed, failed }
  await count.run(db, { workspaceId: workspace_id, id, waveLeft: wave_left, ...counts })
}
