/** Background tasks of rotation campaigns. */
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { deleteOldCampaigns } from './campaign-expiry.ts'
import { advanceCampaign, type CampaignServices } from './campaign-run.ts'
import { ADVANCE_TASK } from './campaign-turn.ts'

const DELETE_TASK = 'rotation-campaigns.forget'

export const createRotationCampaignTasks = (services: CampaignServices): Task[] => [
  {
    name: ADVANCE_TASK,
    run(payload, signal) {
      const named = payload as { workspace_id: string; campaign_id: string }
      const { workspace_id: workspaceId, campaign_id: campaignId } = named
      return advanceCampaign(services, { workspaceId, campaignId }, signal)
    },
  },
  { name: DELETE_TASK, run: (_payload, signal) => deleteOldCampaigns(services, signal) },
]

export const rotationCampaignRepetitions: readonly Periodic[] = [
  { task: DELETE_TASK, everyMs: 86_400_000 },
]
