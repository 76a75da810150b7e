/** The secret of a webhook, shown once, with a receiver that verifies what it signs. */
import type { ReactNode } from 'react'
import type { WebhookWithSecret } from '../../../../sdk/schema.ts'
import { Samples } from '../../kit/Samples.tsx'
import { SecretDialog } from '../../kit/SecretDialog.tsx'
import { receivers } from './webhook-code.ts'
import { howToTry, nameOf } from './webhook-labels.tsx'
import { t } from './translations.ts'

interface WebhookSecretProps {
  webhook: WebhookWithSecret
  /** The action on it. */
  children: ReactNode
  onClose: () => void
}

export const WebhookSecret = ({ webhook, children, onClose }: WebhookSecretProps) => (
  <SecretDialog
    title={t('Secret of {name}', { name: nameOf(webhook) })}
    values={{ MOORING_WEBHOOK_SECRET: webhook.secret }}
    name={nameOf(webhook).replaceAll(/[^\w.-]+/g, '-')}
    after={<Samples samples={receivers}>{howToTry}</Samples>}
    onClose={onClose}
  >
    {children}
  </SecretDialog>
)
