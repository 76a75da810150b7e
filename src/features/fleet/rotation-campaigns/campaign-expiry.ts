/** Deletes campaigns that ended long ago. */
import type { Db } from '../../../platform/database/connect.ts'
import * as devices from './device-store.ts'
import * as store from './store.ts'

const KEEP_DAYS = 365
const DELETE_BATCH = 10_000

/** Deletes old campaigns with their devices, in batches. */
export async function deleteOldCampaigns({ db }: { db: Db }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const campaign = await store.findOldCampaign.first(db, { days: KEEP_DAYS })
    if (campaign === undefined) return
    while ((await devices.deleteDevices(db, campaign, DELETE_BATCH)) === DELETE_BATCH) {
      if (signal.aborted) return
    }
    await store.deleteCampaign.run(db, { workspaceId: campaign.workspace_id, id: campaign.id })
  }
}
