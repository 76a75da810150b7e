/** Queries on rotation campaigns. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { keyOf } from '../../common/row-key.ts'
import { workTexts } from '../device-work/work-statements.ts'
import type { CampaignDeviceStatus } from './schema.ts'

type Counts = Record<CampaignDeviceStatus, number>

export type CampaignRow = RowOf<typeof insertCampaign>

const stored = `workspace_id, id, filter, status, failure, wave_size, wave_percent, pause_s,
  confirm_within_s, max_failure_rate, expanded_to, wave, wave_left, judged_from, wave_ended_at,
  total, due, waiting, notified, rotated, confirmed, failed, actor_kind, actor_id, request_id,
  address, created_at, ended_at`
// Whether the pause after the latest wave is over; false while the wave is unfinished.
const columns = `${stored},
  coalesce(wave_ended_at + make_interval(secs => pause_s) <= now(), false) AS is_pause_over!`

export const insertCampaign = sql('rotation_campaigns.insert')`
  INSERT INTO rotation_campaigns (workspace_id, id, filter, status, wave_size, wave_percent,
    pause_s, confirm_within_s, max_failure_rate, total, due, actor_kind, actor_id, request_id,
    address)
  VALUES ($workspaceId, $id, $filter?, $status, $waveSize?, $wavePercent?, $pauseS,
    $confirmWithinS, $maxFailureRate, $total, $total, $actorKind, $actorId?, $requestId?,
      $address?)
  RETURNING ${columns}`
export const itemTables = { items: 'rotation_campaign_devices', of: 'campaign_id' }
const texts = workTexts({
  ...itemTables,
  work: 'rotation_campaigns',
  columns,
  untried: 'due',
  grows: 'due = due + $added,',
})
export const statements = {
  find: sql('rotation_campaigns.by_id')`${texts.find}`,
  lock: sql('rotation_campaigns.lock')`${texts.lock}`,
  countOpen: sql('rotation_campaigns.count_open')`${texts.countOpen}`,
  grow: sql('rotation_campaigns.grow')`${texts.grow}`,
  findOld: sql('rotation_campaigns.ended')`${texts.findOld}`,
  delete: sql('rotation_campaigns.delete')`${texts.delete}`,
  insertItems: sql('rotation_campaign_devices.insert')`${texts.insertItems}`,
  deleteItems: sql('rotation_campaign_devices.delete')`${texts.deleteItems}`,
}
/** The next devices to ask. The campaign must be locked. */
export const dueDevices = sql('rotation_campaign_devices.due')`${texts.untriedItems}`
/** Newest first. */
export const pageOfCampaigns = filteredList('rotation_campaigns.filtered', {
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
/** The campaign must be locked. */
export const setStatus = sql('rotation_campaigns.set_status')`
  UPDATE rotation_campaigns
  SET status = $status, failure = $failure?,
      ended_at = CASE WHEN $status IN ('completed', 'cancelled', 'failed') THEN now() END,
      judged_from = CASE WHEN status = 'halted' AND $status = 'running' THEN wave + 1
                         ELSE judged_from END
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const openWave = sql('rotation_campaigns.begin_wave')`
  UPDATE rotation_campaigns SET wave = wave + 1, wave_left = $waveLeft, wave_ended_at = NULL
  WHERE workspace_id = $workspaceId AND id = $id`
export const closeWave = sql('rotation_campaigns.end_wave')`
  UPDATE rotation_campaigns SET wave_ended_at = now() WHERE workspace_id = $workspaceId
    AND id = $id`
const count = sql('rotation_campaigns.count')`
  UPDATE rotation_campaigns
  SET wave_left = $waveLeft, due = due + $due, waiting = waiting + $waiting, notified = notified + $notified,
      rotated = rotated + $rotated, confirmed = confirmed + $confirmed, failed = failed + $failed
  WHERE workspace_id = $workspaceId AND id = $id`

/** Adds to the counters and sets how many devices of the wave remain to be asked. */
export async function addCounts(db: Db, row: CampaignRow, by: Partial<Counts>): Promise<void> {
  const { due = 0, waiting = 0, notified = 0, rotated = 0, confirmed = 0, failed = 0 } = by
  const counts = { due, waiting, notified, rotated, confirmed, failed }
  await count.run(db, { ...keyOf(row), waveLeft: row.wave_left, ...counts })
}
