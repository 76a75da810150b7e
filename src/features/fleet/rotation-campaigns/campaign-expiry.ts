/** Deletes campaigns that ended long ago. */
import type { Db } from '../../../platform/database/connect.ts'
import * as devices from './device-store.ts'
import * as store from './store.ts'

const KEEP_DAYS = 365
const FORGOTTEN_AT_ONCE = 10_000

/** Deletes old campaigns with their devices, in batches. */
export async function forgetOldCampaigns({ db }: { db: Db }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const campaign = await store.findOldCampaign.first(db, { days: KEEP_DAYS })
    if (campaign === undefined) return
    while ((await devices.forgetDevices(db, campaign, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE) {
      if (signal.aborted) return
    }
    await store.deleteCampaign.run(db, { workspaceId: campaign.workspace_id, id: campaign.id })
  }
}
