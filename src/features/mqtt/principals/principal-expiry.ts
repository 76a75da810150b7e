/**
 * Ends sessions of expired principals on external brokers, which may not know expiry times. The
 * embedded broker watches its own sessions.
 */
import type { Db } from '../../../platform/database/connect.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import {
  hasExternalBrokers,
  openReceipt,
  type ReceiptServices,
} from '../revocation/receipt-issue.ts'
import { findExpired } from './store.ts'

/** Covers expiries while no process was running. */
const FIRST_CHECK_MS = 3_600_000
/** An expiry may be written just as it passes. */
const OVERLAP_MS = 2_000

/**
 * @returns finds principals that expired since the last call. Several processes may end the same
 * sessions, none of which may come back.
 */
export function createExpiryCheck(
  services: ReceiptServices & { db: Db; clock: Clock },
): () => Promise<void> {
  const { db, clock } = services
  let since = clock.now() - FIRST_CHECK_MS
  return async () => {
    if (!hasExternalBrokers(services)) return
    const now = clock.now()
    await db.transaction(async (trx) => {
      const expired = await findExpired.rows(trx, { after: since, until: now })
      for (const { workspace_id: workspaceId, id } of expired) {
        const subject = formatId('mqp', id)
        await openReceipt(services, trx, { workspaceId, reason: 'expired', subject })
      }
    })
    since = now - OVERLAP_MS
  }
}
