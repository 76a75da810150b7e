/** Deletes replaced secrets once they no longer sign, so that they cannot be stolen. */
import type { Db } from '../../../platform/database/connect.ts'
import { dropEndedSecrets } from './store.ts'

const BATCH = 1_000

export async function deleteEndedSecrets(db: Db, signal: AbortSignal): Promise<void> {
  let more = true
  while (more && !signal.aborted) more = (await dropEndedSecrets(db, BATCH)) === BATCH
}
