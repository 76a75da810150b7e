/** Deletes leftovers of signing in: pending steps, old counts and codes, ended sessions. */
import type { Db } from '../../../platform/database/connect.ts'
import { pruneAttempts } from '../attempts/attempt.ts'
import { pruneChallenges } from '../mfa/challenge.ts'
import { pruneSessions } from '../sessions/session.ts'
import { pruneSignInCodes } from './store.ts'

/** May run at any time, in several processes at once. */
export async function pruneSignIns(db: Db): Promise<void> {
  await pruneChallenges(db)
  await pruneAttempts(db)
  await pruneSessions(db)
  await pruneSignInCodes(db)
}
