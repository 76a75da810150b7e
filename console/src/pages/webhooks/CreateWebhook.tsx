/** A new webhook: where events go, and the secret that signs them, shown once. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateWebhook as CreateBody } from '../../../../sdk/schema.ts'
import { noTypes, typesOf } from '../../api/event-kinds.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Small } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { EventTypes } from '../events/EventTypes.tsx'
import { WebhookSecret } from './WebhookSecret.tsx'
import { t } from './translations.ts'

export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [types, setTypes] = useState(noTypes)
  const create = useChange('createWebhook', ['listWebhooks'])
  const body: CreateBody = {
    url: url.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    types: typesOf(types),
  }
  const input = { params: { id }, body }
  useNextCall('createWebhook', input)
  if (create.data !== undefined) {
    const made = create.data
    const done = (): void => {
      onClose()
      void navigate({ to: below(slug, `webhooks/${made.id}`) })
    }
    return (
      <WebhookSecret webhook={made} onClose={done}>
        {t('From now on, new events go there, signed with this secret.')}
      </WebhookSecret>
    )
  }
  return (
    <Dialog title={t('Create a webhook')} open wide onClose={onClose}>
      <Form onSubmit={() => create.mutate(input)} problem={create.error}>
        <TextField
          label={t('URL')}
          mono
          type="url"
          pointer="/url"
          hint={t('Where events are sent: https, with a public host.')}
          value={url}
          onValue={setUrl}
        />
        <TextField
          label={t('Description')}
          optional
          pointer="/description"
          value={description}
          onValue={setDescription}
        />
        <EventTypes value={types} onValue={setTypes} />
        <Small>{t('The secret is shown once, in the next step.')}</Small>
        <SubmitActions act={t('Create')} busy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
