/**
 * What is written of one webhook at once: rows, how far it has come, and how long it is held. It
 * counts as a whole, or, once the lease was lost, not at all.
 */
import type { Keyring } from '../../access/keyring.ts'
import type { Db } from '../../database/connect.ts'
import * as store from './delivery-store.ts'
import type { WaitingRow } from './delivery.ts'
import { type DisabledReason, disableWebhook } from './webhook-disabling.ts'

/** How long a webhook stays with a process that says nothing. */
export const LEASE_S = 12
/** Rows of one device that are called up at once. */
export const MOST_RELEASED = 50

/** What is done beside writing what came of deliveries. */
export interface Beside {
  /** Devices of which rows are to be called up. */
  asking: readonly string[]
  disabling: DisabledReason | undefined
  /** The receiver is back that had failed since then, in milliseconds since the epoch. */
  backSince: number | undefined
}

export interface Committed {
  standing: store.Standing
  /** Of the devices that were asked for. */
  rows: readonly WaitingRow[]
}

/** @returns undefined when the webhook is not ours any more. */
export async function commitProgress(
  services: { db: Db; keyring: Keyring },
  claim: store.Claim,
  progress: store.Progress,
  { asking, disabling, backSince }: Beside,
): Promise<Committed | undefined> {
  const { db } = services
  if (asking.length === 0 && disabling === undefined && backSince === undefined) {
    const standing = await store.writeProgress(db, claim, progress, LEASE_S)
    return standing && { standing, rows: [] }
  }
  return db.transaction(async (trx) => {
    const standing = await store.writeProgress(trx, claim, progress, LEASE_S)
    if (standing === undefined) return undefined
    if (backSince !== undefined) await store.hurryRows(trx, claim, backSince)
    if (disabling !== undefined) {
      await disableWebhook(services, trx, claim, disabling)
      standing.is_on = false
    }
    const rows = asking.length > 0 ? await store.releaseRows(trx, claim, asking, MOST_RELEASED) : []
    return { standing, rows }
  })
}
