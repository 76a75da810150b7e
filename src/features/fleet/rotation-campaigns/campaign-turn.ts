/** Common to all steps of a campaign: its record, and scheduling the next check. */
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { enqueue } from '../../../platform/jobs/job.ts'
import { viewOf } from './campaign-view.ts'
import type { CampaignRow } from './store.ts'

export const ADVANCE_TASK = 'rotation-campaigns.advance'

/** Crashes count as attempts, but are not failures. */
const TRIES = 30_000

/** Schedules a check, now or at a time; duplicates are merged. */
export const enqueueAdvance = (
  db: Db,
  { workspace_id, id }: Pick<CampaignRow, 'workspace_id' | 'id'>,
  runAtMs?: number,
): Promise<void> =>
  enqueue(
    db,
    ADVANCE_TASK,
    { workspace_id, campaign_id: id },
    {
      key: `${ADVANCE_TASK}:${id}`,
      queue: ADVANCE_TASK,
      maxAttempts: TRIES,
      ...(runAtMs !== undefined && { runAtMs }),
    },
  )

export const originOfCampaign = (row: CampaignRow): Origin => ({
  actor: { kind: row.actor_kind, id: row.actor_id },
  requestId: row.request_id,
  address: row.address,
})

export async function recordCampaign(
  trx: Db,
  origin: Origin,
  action: EventType,
  row: CampaignRow,
): Promise<void> {
  const { id, wave, counts, failure } = viewOf(row)
  await record(trx, origin, {
    workspaceId: row.workspace_id,
    action,
    resource: { kind: 'rotation_campaign', id },
    data: { rotation_campaign_id: id, wave, counts },
    detail: { ...(failure && { failure }), ...(row.filter !== null && { filter: row.filter }) },
  })
}
