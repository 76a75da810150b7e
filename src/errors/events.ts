/** Refusals by the feed of events and by webhooks. */
import { entry } from './entry.ts'

export const events = {
  events_gone: entry(
    410,
    'Events gone',
    'Events after this position are not kept any more, or it is none of this database.',
    'Read what you mirror anew, and go on with the feed from `after=latest`, or from its beginning without `after`.',
  ),
  webhook_not_found: entry(
    404,
    'Webhook not found',
    'There is no such webhook in this workspace.',
    'List the webhooks of the workspace.',
  ),
} as const
