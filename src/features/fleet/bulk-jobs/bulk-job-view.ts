/** The public view of jobs. */
import type { CommandState } from '../../common/command-shapes.ts'
import { rowView } from '../../common/row-view.ts'
import type { ItemRow } from './item-store.ts'
import { JobItemView, JobView } from './schema.ts'
import type { JobRow } from './store.ts'

const isUntried = ({ status }: JobRow): boolean => status === 'cancelled' || status === 'failed'

const triedOf = (row: JobRow): number => row.succeeded + row.failed + row.skipped

function progressOf(row: JobRow): number {
  if (row.status === 'preparing') return 0
  if (row.total > 0) return triedOf(row) / row.total
  return row.ended_at === null ? 0 : 1
}

export const viewOf = rowView<JobRow>()(JobView, {
  counts(row) {
    const { total, succeeded, failed, skipped } = row
    const left = total - triedOf(row)
    const [pending, cancelled] = isUntried(row) ? [0, left] : [left, 0]
    return { total, pending, succeeded, failed, skipped, cancelled }
  },
  progress: progressOf,
  created_by: (row) => row.actor_id,
})

/** @param commands of the devices of the job, by their UUIDs */
type OfJob = [job: JobRow, commands: ReadonlyMap<string, CommandState>]

/** Untried items of an ended job are no longer pending. */
export const itemViewOf = rowView<ItemRow, OfJob>()(JobItemView, {
  command: ({ device_id }, _job, commands) => commands.get(device_id) ?? null,
  status: (row, job) => (row.status === 'pending' && isUntried(job) ? 'cancelled' : row.status),
})

/** The stored status of items shown as `status`; null if there are none. */
export function storedStatus(job: JobRow, status: JobItemView['status']): ItemRow['status'] | null {
  if (status === 'cancelled') return isUntried(job) ? 'pending' : null
  return status === 'pending' && isUntried(job) ? null : status
}
