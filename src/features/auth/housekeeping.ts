/** Forgets what signing in leaves behind: open steps, old counts, sessions that ended long ago. */
import type { Db } from '../../database/connect.ts'
import { pruneAttempts } from '../attempts/attempt.ts'
import { pruneChallenges } from '../second-factors/challenge.ts'
import { pruneSessions } from '../sessions/session.ts'

/** Safe to run at any time, and by several processes at once. */
export async function pruneSignIns(db: Db): Promise<void> {
  await pruneChallenges(db)
  await pruneAttempts(db)
  await pruneSessions(db)
}
