/** What runs rotation campaigns in the background. */
import type { Task } from '../../jobs/job.ts'
import { advanceCampaign, type CampaignServices } from './campaign-run.ts'
import { ADVANCE_TASK } from './campaign-turn.ts'

export const createRotationCampaignTasks = (services: CampaignServices): Task[] => [
  {
    name: ADVANCE_TASK,
    run(payload, signal) {
      const named = payload as { workspace_id: string; campaign_id: string }
      const { workspace_id: workspaceId, campaign_id: campaignId } = named
      return advanceCampaign(services, { workspaceId, campaignId }, signal)
    },
  },
]
