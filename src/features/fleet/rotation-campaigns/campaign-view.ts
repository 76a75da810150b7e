/** The public view of rotation campaigns. */
import { rowView } from '../../common/row-view.ts'
import { timestampOrNull } from '../../common/shapes.ts'
import type { CampaignDeviceRow } from './device-store.ts'
import { CampaignDeviceView, RotationCampaignView } from './schema.ts'
import type { CampaignRow } from './store.ts'

export const viewOf = rowView<CampaignRow>()(RotationCampaignView, {
  counts({ total, due, waiting, notified, rotated, confirmed, failed }) {
    return { total, due, waiting, notified, rotated, confirmed, failed }
  },
  created_by: (row) => row.actor_id,
})

export const deviceViewOf = rowView<CampaignDeviceRow, [within: { confirm_within_s: number }]>()(
  CampaignDeviceView,
  {
    confirm_by: ({ online_at: since }, { confirm_within_s: seconds }) =>
      timestampOrNull(since === null ? null : since + seconds * 1_000),
  },
)
