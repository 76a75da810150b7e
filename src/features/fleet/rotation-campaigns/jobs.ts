/** Background tasks of rotation campaigns. */
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { createWorkTasks } from '../device-work/work-run.ts'
import { campaignKind } from './campaign-kind.ts'
import { type CampaignServices, stepOfCampaign } from './campaign-run.ts'

export const createRotationCampaignTasks = (services: CampaignServices): Task[] =>
  createWorkTasks(campaignKind, stepOfCampaign, services)

export const rotationCampaignRepetitions: readonly Periodic[] = [
  { task: campaignKind.tasks.remove, everyMs: 86_400_000 },
]
