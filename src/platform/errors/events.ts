/** Failures of the event feed and of webhooks. */
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
  webhook_delivery_not_found: entry(
    404,
    'Webhook delivery not found',
    'There is no such delivery of this webhook, or it is not kept any more.',
    'List the deliveries of the webhook.',
  ),
  webhook_disabled: entry(
    409,
    'Webhook disabled',
    'Nothing is sent to this webhook while it is disabled.',
    'Enable the webhook, and ask again.',
  ),
} as const
