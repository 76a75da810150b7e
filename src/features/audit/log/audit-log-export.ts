/** Exports an audit log as a stream: all chained entries in chain order, in constant memory. */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { hashedForm } from './audit-log-chain.ts'
import type { ExportedEntry, ExportQuery } from './schema.ts'
import * as store from './store.ts'
import { leastUuidAt, MAX_UUID, NIL_UUID } from '../../../platform/lib/ids.ts'
import { HOUR_MS, timeOf } from '../../../platform/lib/time.ts'
import { timestamp } from '../../common/shapes.ts'

/**
 * Looks a time up by entry ids, which grow with time, and then exactly. The hour of margin exceeds
 * clock differences and the duration of transactions.
 */
function betweenTimes({ from, to }: ExportQuery) {
  const start = from === undefined ? undefined : timeOf(from)
  const end = to === undefined ? undefined : timeOf(to)
  return {
    fromId: start === undefined ? NIL_UUID : leastUuidAt(start - HOUR_MS),
    from: start === undefined ? '-infinity' : timestamp(start),
    toId: end === undefined ? MAX_UUID : leastUuidAt(end + HOUR_MS),
    to: end === undefined ? 'infinity' : timestamp(end),
  }
}

const BATCH = 500

function lineOf(row: store.ChainedRow): ExportedEntry {
  if (row.hash === null) throw new Error(`the entry ${row.seq} of the chain has no hash`)
  return { ...hashedForm(row, row.seq), hash: row.hash.toString('hex') }
}

/**
 * The range of sequence numbers. Chain order and time order differ slightly; no number in the range
 * is skipped, so that exports can be verified.
 */
async function rangeOf(
  db: Db,
  workspaceId: string,
  query: ExportQuery,
): Promise<{ from: number; to: number }> {
  const state = await store.readHeadState.one(db, { workspaceId })
  let from = Math.max(query.from_seq ?? 1, state.pruned_seq + 1)
  let to = state.seq ?? 0
  if (query.from !== undefined || query.to !== undefined) {
    const range = await store.findChainedRange.one(db, { workspaceId, ...betweenTimes(query) })
    from = Math.max(from, range.first ?? to + 1)
    to = Math.min(to, range.last ?? 0)
  }
  return { from, to }
}

export async function* exportAuditLog(
  context: Context,
  query: ExportQuery,
): AsyncGenerator<ExportedEntry[]> {
  const { db, workspaceId } = context
  const { from, to } = await rangeOf(db, workspaceId, query)
  for (let next = from; next <= to; ) {
    const until = Math.min(to, next + BATCH - 1)
    const rows = await store.readChained.rows(db, { workspaceId, from: next, to: until })
    const isWhole = rows.length > 0 && rows.every((row, index) => row.seq === next + index)
    // Missing entries were deleted meanwhile, or deleted by someone, which verification will show.
    if (!isWhole) throw new Error(`the audit log has a gap after its entry ${next - 1}`)
    yield rows.map(lineOf)
    next += rows.length
  }
}
