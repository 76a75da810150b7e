/** Time filters of the audit log. */
import { leastUuidAt } from '../../../platform/lib/ids.ts'
import { timeOf } from '../../../platform/lib/time.ts'
import { timestamp } from '../../common/shapes.ts'
import type * as store from './store.ts'

const HOUR_MS = 3_600_000

/**
 * Looks a time up by entry ids, which grow with time, and then exactly. The hour of margin exceeds
 * clock differences and the duration of transactions.
 */
export function timeFilters({ from, to }: { from?: string; to?: string }): store.AuditFilters {
  const filters: store.AuditFilters = {}
  if (from !== undefined) {
    const ms = timeOf(from)
    filters.since = leastUuidAt(ms - HOUR_MS)
    filters.from = timestamp(ms)
  }
  if (to !== undefined) {
    const ms = timeOf(to)
    filters.before = leastUuidAt(ms + HOUR_MS)
    filters.to = timestamp(ms)
  }
  return filters
}
