/** Deletes leftovers of signing in: pending steps, old counts and codes, ended sessions. */
import type { Db } from '../../../platform/database/connect.ts'
import { deleteOldAttempts } from '../attempts/attempt.ts'
import { deleteOldChallenges } from '../mfa/challenge.ts'
import { deleteOldSessions } from '../sessions/session.ts'
import { deleteOldSignInCodes } from './store.ts'

/** May run at any time, in several processes at once. */
export async function deleteOldSignIns(db: Db): Promise<void> {
  await deleteOldChallenges(db)
  await deleteOldAttempts(db)
  await deleteOldSessions(db)
  await deleteOldSignInCodes(db)
}
