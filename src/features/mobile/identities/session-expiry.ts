/**
 * Deletes ended sessions and unused identities: anyone can create them, so they must not
 * accumulate. Works in batches that hold locks briefly.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { deleteSessionsOver, deleteUnneededMoids } from './store.ts'

const BATCH = 1_000

/** May run in several processes at once. */
export async function expireMoidSessions(db: Db): Promise<void> {
  while ((await deleteSessionsOver(db, BATCH)) >= BATCH);
  while ((await deleteUnneededMoids(db, BATCH)) >= BATCH);
}
