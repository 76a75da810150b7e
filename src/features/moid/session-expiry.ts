/**
 * Forgets sessions that are over, and identities that nobody holds any more and that hold nothing:
 * anybody can make them, so they must not pile up. In batches that hold no lock for long.
 */
import type { Db } from '../../database/connect.ts'
import { deleteSessionsOver, deleteUnneededMoids } from './store.ts'

const BATCH = 1_000

/** Safe to run in several processes at once. */
export async function expireMoidSessions(db: Db): Promise<void> {
  while ((await deleteSessionsOver(db, BATCH)) >= BATCH);
  while ((await deleteUnneededMoids(db, BATCH)) >= BATCH);
}
