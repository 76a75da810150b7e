/** A new template: the values that it needs first. The rest is on its page. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateDeviceTemplate } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { below } from '../../kit/navigation.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { slugOf } from '../../session/slug-of.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { SerialField } from './SerialField.tsx'
import { t } from './translations.ts'

export function CreateTemplate({ onClose }: { onClose: () => void }) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const [typed, setTyped] = useState({ name: '', serial_format: 'SN-%Y-%#f' })
  // Follows the name until somebody types one.
  const [modelKey, setModelKey] = useState<string | null>(null)
  const body: CreateDeviceTemplate = { ...typed, model_key: modelKey ?? slugOf(typed.name) }
  const create = useChange('createDeviceTemplate', ['listDeviceTemplates'])
  const input = { params: { id }, body }
  useNextCall('createDeviceTemplate', input)
  const submit = (): void =>
    create.mutate(input, {
      onSuccess: (made) => void navigate({ to: below(slug, `templates/${made.id}`) }),
    })
  return (
    <Dialog title={t('Create a template')} open onClose={onClose}>
      <Form onSubmit={submit} problem={create.error}>
        <TextField
          label={t('Name')}
          pointer="/name"
          value={body.name}
          onValue={(name) => setTyped({ ...typed, name })}
        />
        <TextField
          label={t('Model key')}
          hint={t('The name of the model in your own systems. It cannot change.')}
          pointer="/model_key"
          mono
          value={body.model_key}
          onValue={setModelKey}
        />
        <SerialField
          value={body.serial_format}
          onValue={(serial_format) => setTyped({ ...typed, serial_format })}
        />
        <SubmitActions act={t('Create')} busy={create.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
