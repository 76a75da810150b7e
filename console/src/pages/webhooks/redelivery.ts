/** Sending one delivery once more. */
import type { Webhook, WebhookDelivery } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useButtonCall } from '../../kit/ApiPane.tsx'
import { say } from '../../kit/Overlay.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { ofWebhook } from './webhook-labels.tsx'
import { t } from './translations.ts'

const REFRESHES = ['listWebhookDeliveries', 'getWebhookDelivery', 'getWebhook'] as const

export function useRedelivery(webhook: Webhook, { id: delivery_id }: Pick<WebhookDelivery, 'id'>) {
  const again = useChange('redeliverWebhookDelivery', REFRESHES)
  const input = { params: { ...ofWebhook(webhook), delivery_id } }
  const done = { onSuccess: () => say(t('Redelivering'), t('It is sent at once.')) }
  return {
    blocked: useBlocked('redeliverWebhookDelivery'),
    busy: again.isPending,
    problem: again.error,
    send: () => again.mutate(input, done),
    /** For the button that does it. */
    preview: useButtonCall('redeliverWebhookDelivery', input),
  }
}
