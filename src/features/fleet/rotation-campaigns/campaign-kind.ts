/** Rotation campaigns as a kind of work. */
import { taskKind } from '../../../platform/jobs/job.ts'
import type { WorkKind } from '../device-work/work.ts'
import { viewOf } from './campaign-view.ts'
import * as store from './store.ts'

const ADVANCE_TASK = 'rotation-campaigns.advance'

export const campaignKind: WorkKind<store.CampaignRow> = {
  resource: 'rotation_campaign',
  prefix: 'cmp',
  statements: store.statements,
  open: { limit: 'open_rotation_campaigns', max: 20, what: 'campaigns that have not ended' },
  keepDays: 365,
  tasks: { run: taskKind(ADVANCE_TASK), remove: 'rotation-campaigns.forget' },
  payloadId: 'campaign_id',
  queueOf: () => ADVANCE_TASK,
  dataOf(row) {
    const { wave, counts } = viewOf(row)
    return { wave, counts }
  },
}
