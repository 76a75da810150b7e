/** The public view of jobs. */
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { ItemRow } from './item-store.ts'
import type { JobItemView, JobView } from './schema.ts'
import type { JobRow } from './store.ts'

const isUntried = ({ status }: JobRow): boolean => status === 'cancelled' || status === 'failed'

export function viewOf(row: JobRow): JobView {
  const tried = row.succeeded + row.failed + row.skipped
  const left = row.total - tried
  const whole = row.ended_at === null ? 0 : 1
  return {
    id: formatId('job', row.id),
    workspace_id: formatId('ws', row.workspace_id),
    action: row.action,
    parameters: row.parameters,
    filter: row.filter,
    retry_of: row.retry_of === null ? null : formatId('job', row.retry_of),
    status: row.status,
    failure: row.failure,
    counts: {
      total: row.total,
      pending: isUntried(row) ? 0 : left,
      succeeded: row.succeeded,
      failed: row.failed,
      skipped: row.skipped,
      cancelled: isUntried(row) ? left : 0,
    },
    progress: row.status === 'preparing' ? 0 : row.total === 0 ? whole : tried / row.total,
    created_by: row.actor_id,
    created_at: timestamp(row.created_at),
    ended_at: timestampOrNull(row.ended_at),
  }
}

/** Untried items of an ended job are no longer pending. */
export const itemViewOf =
  (job: JobRow) =>
  (row: ItemRow): JobItemView => ({
    device_id: formatId('dev', row.device_id),
    device_key: row.device_key,
    status: row.status === 'pending' && isUntried(job) ? 'cancelled' : row.status,
    code: row.code,
    detail: row.detail,
    ended_at: timestampOrNull(row.ended_at),
  })

/** The stored status of items shown as `status`; null if there are none. */
export function storedStatus(job: JobRow, status: JobItemView['status']): ItemRow['status'] | null {
  if (status === 'cancelled') return isUntried(job) ? 'pending' : null
  return status === 'pending' && isUntried(job) ? null : status
}
