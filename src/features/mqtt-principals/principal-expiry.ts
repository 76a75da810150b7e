/**
 * Principals whose time is up, for brokers elsewhere: not each of them knows a time of expiry, and
 * what they let in stays. The embedded broker watches its own sessions.
 */
import type { Db } from '../../database/connect.ts'
import type { Clock } from '../../lib/clock.ts'
import { formatId } from '../../lib/ids.ts'
import {
  hasExternalBrokers,
  openReceipt,
  type ReceiptServices,
} from '../mqtt-receipts/receipt-issue.ts'
import { findExpired } from './store.ts'

/** What ended while no process was there to see it. */
const FIRST_LOOK_MS = 3_600_000
/** A time of expiry may be written while it passes. */
const OVERLAP_MS = 2_000

/**
 * @returns looks who has expired since the last look. Several processes that look end the same
 * sessions, none of which may come back.
 */
export function createExpiryLook(
  services: ReceiptServices & { db: Db; clock: Clock },
): () => Promise<void> {
  const { db, clock } = services
  let since = clock.now() - FIRST_LOOK_MS
  return async () => {
    if (!hasExternalBrokers(services)) return
    const now = clock.now()
    await db.transaction(async (trx) => {
      const expired = await findExpired(trx, since, now)
      for (const { workspace_id: workspaceId, id } of expired) {
        const subject = formatId('mqp', id)
        await openReceipt(services, trx, { workspaceId, reason: 'expired', subject })
      }
    })
    since = now - OVERLAP_MS
  }
}
