/**
 * Writes a webhook's progress atomically: rows, feed position and lease. If the lease was lost,
 * nothing is written.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { Db } from '../../../platform/database/connect.ts'
import * as store from './delivery-store.ts'
import type { WaitingRow } from './delivery-store.ts'
import { type DisabledReason, disableWebhook } from './webhook-disabling.ts'

/** Lease duration. */
export const LEASE_S = 12
/** Rows of one device released at once. */
export const MAX_RELEASED = 50

/** Actions besides writing results. */
export interface SideEffects {
  /** Devices whose waiting rows are requested. */
  loading: readonly string[]
  disabling: DisabledReason | undefined
  /** When the receiver that recovered had started to fail, in milliseconds since the epoch. */
  backSince: number | undefined
}

export interface Committed {
  state: store.CursorState
  /** Rows of the requested devices. */
  rows: readonly WaitingRow[]
}

/** @returns undefined if the lease was lost */
export async function commitProgress(
  services: { db: Db; keyring: Keyring },
  claim: store.Claim,
  progress: store.Progress,
  { loading, disabling, backSince }: SideEffects,
): Promise<Committed | undefined> {
  const { db } = services
  if (loading.length === 0 && disabling === undefined && backSince === undefined) {
    const state = await store.writeProgress(db, claim, progress, LEASE_S)
    return state && { state, rows: [] }
  }
  return db.transaction(async (trx) => {
    const state = await store.writeProgress(trx, claim, progress, LEASE_S)
    if (state === undefined) return undefined
    if (backSince !== undefined)
      await store.expediteRows.run(trx, {
        workspaceId: claim.workspace_id,
        webhookId: claim.webhook_id,
        since: backSince,
      })
    if (disabling !== undefined) {
      await disableWebhook(services, trx, claim, disabling)
      state.is_on = false
    }
    const rows =
      loading.length > 0
        ? await store.releaseRows.rows(trx, {
            workspaceId: claim.workspace_id,
            webhookId: claim.webhook_id,
            subjectIds: loading,
            limit: MAX_RELEASED,
          })
        : []
    return { state, rows }
  })
}
