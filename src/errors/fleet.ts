/** Refusals of what works on many devices. */
import { entry } from './entry.ts'

export const fleet = {
  rotation_campaign_not_found: entry(
    404,
    'Rotation campaign not found',
    'There is no such rotation campaign in this workspace.',
    'List the rotation campaigns of the workspace.',
  ),
  job_not_found: entry(
    404,
    'Job not found',
    'There is no such job in this workspace.',
    'List the jobs of the workspace; one that ended is kept for 30 days.',
  ),
} as const
