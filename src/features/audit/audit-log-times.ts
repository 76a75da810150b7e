/** Time filters of the audit log. */
import { invalid } from '../../errors.ts'
import { leastUuidAt } from '../../lib/ids.ts'
import { timestamp } from '../shapes.ts'
import type * as store from './store.ts'

const HOUR_MS = 3_600_000

function readTime(text: string, name: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw invalid(`/query/${name}`, 'is not a time that exists')
  return ms
}

/**
 * Looks a time up by entry ids, which grow with time, and then exactly. The hour of margin exceeds
 * clock differences and the duration of transactions.
 */
export function timeFilters({ from, to }: { from?: string; to?: string }): store.AuditFilters {
  const filters: store.AuditFilters = {}
  if (from !== undefined) {
    const ms = readTime(from, 'from')
    filters.since = leastUuidAt(ms - HOUR_MS)
    filters.from = timestamp(ms)
  }
  if (to !== undefined) {
    const ms = readTime(to, 'to')
    filters.before = leastUuidAt(ms + HOUR_MS)
    filters.to = timestamp(ms)
  }
  return filters
}
