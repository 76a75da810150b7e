/** The public view of rotation campaigns. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { CampaignDeviceRow } from './device-store.ts'
import type { CampaignDeviceView, RotationCampaignView } from './schema.ts'
import type { CampaignRow } from './store.ts'

export function viewOf(row: CampaignRow): RotationCampaignView {
  const { total, due, waiting, notified, rotated, confirmed, failed } = row
  return {
    id: formatId('cmp', row.id),
    workspace_id: formatId('ws', row.workspace_id),
    filter: row.filter,
    status: row.status,
    failure: row.failure,
    wave_size: row.wave_size,
    wave_percent: row.wave_percent,
    pause_s: row.pause_s,
    confirm_within_s: row.confirm_within_s,
    max_failure_rate: row.max_failure_rate,
    wave: row.wave,
    counts: { total, due, waiting, notified, rotated, confirmed, failed },
    created_by: row.actor_id,
    created_at: timestamp(row.created_at),
    ended_at: timestampOrNull(row.ended_at),
  }
}

export const deviceViewOf = (row: CampaignDeviceRow): CampaignDeviceView => ({
  device_id: formatId('dev', row.device_id),
  device_key: row.device_key,
  status: row.status,
  wave: row.wave,
  code: row.code,
  asked_at: timestampOrNull(row.asked_at),
  ended_at: timestampOrNull(row.ended_at),
})
