/** A new MQTT login: its name, until when, and its password, shown once. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateMqttPrincipal } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Small } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { below } from '../../kit/navigation.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { LoginSecrets } from './LoginSecrets.tsx'
import { t } from './translations.ts'

export function CreateLogin({ onClose }: { onClose: () => void }) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [expires, setExpires] = useState('')
  const create = useChange('createMqttPrincipal', ['listMqttPrincipals'])
  const body: CreateMqttPrincipal = {
    name: name.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
  }
  const input = { params: { id }, body }
  useNextCall('createMqttPrincipal', input)
  if (create.data !== undefined) {
    const { id: made, mqtt_credentials } = create.data
    return (
      <LoginSecrets
        name={create.data.name}
        secret={mqtt_credentials}
        note={t('The service keeps only a hash of it. Next, its rules say what it may do.')}
        onClose={() => {
          onClose()
          void navigate({ to: below(slug, `logins/${made}`), search: { tab: 'rules' } })
        }}
      />
    )
  }
  return (
    <Dialog title={t('Create an MQTT login')} open onClose={onClose}>
      <Form onSubmit={() => create.mutate(input)} problem={create.error}>
        <TextField
          label={t('Name')}
          pointer="/name"
          hint={t('Of the program that uses it, such as a dashboard or a bridge.')}
          value={name}
          onValue={setName}
        />
        <TextField
          label={t('Description')}
          optional
          pointer="/description"
          value={description}
          onValue={setDescription}
        />
        <TextField
          label={t('Expires')}
          optional
          type="datetime-local"
          pointer="/expires_at"
          hint={t('In the time zone of this browser. Empty: it does not expire.')}
          value={expires}
          onValue={setExpires}
        />
        <Small>
          {t(
            'Its password is shown once, in the next step. It may connect at once, and do nothing until you add rules.',
          )}
        </Small>
        <SubmitActions act={t('Create')} busy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
