/** Failures of the event feed and of webhooks. */
import { conflict, gone, notFound } from './entry.ts'

export const events = {
  events_gone: gone(
    'Events gone',
    'Events after this position were deleted by retention, or the position is not from this ' +
      'database.',
    'Read the mirrored resources again, and continue with `after=latest`, or from the beginning of the feed without `after`.',
  ),
  webhook_not_found: notFound(
    'Webhook not found',
    'There is no such webhook in this workspace.',
    'List the webhooks of the workspace.',
  ),
  webhook_delivery_not_found: notFound(
    'Webhook delivery not found',
    'There is no such delivery of this webhook, or it is no longer stored.',
    'List the deliveries of the webhook.',
  ),
  webhook_disabled: conflict(
    'Webhook disabled',
    'The webhook is disabled.',
    'Enable the webhook, and try again.',
  ),
} as const
