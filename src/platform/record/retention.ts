/** Deletes expired events. */
import type { Db } from '../database/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { leastUuidAt, NIL_UUID } from '../lib/ids.ts'
import { DAY_MS } from '../lib/time.ts'
import { findOldestEvent, removeEvents } from './store.ts'

const BATCH = 2_000

/** Deletes events of all workspaces that are older than `days`; 0 keeps all. */
export async function deleteOldEvents(
  { db, clock }: { db: Db; clock: Clock },
  days: number,
  signal?: AbortSignal,
): Promise<void> {
  if (days === 0) return
  const before = leastUuidAt(clock.now() - days * DAY_MS)
  let oldest = await findOldestEvent.first(db, { after: NIL_UUID })
  while (oldest !== undefined) {
    const { workspace_id: workspaceId, id } = oldest
    let removed = id < before ? BATCH : 0
    while (removed === BATCH) {
      if (signal?.aborted) return
      removed = (await removeEvents.one(db, { workspaceId, before, limit: BATCH })).removed
    }
    oldest = await findOldestEvent.first(db, { after: workspaceId })
  }
}
