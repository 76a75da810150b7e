/** A new API key: its kind, its limits, and the key itself, shown once. */
import { useState } from 'react'
import type { ApiKey, CreateApiKey, CreatedApiKey } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, RadioCards, TextField } from '../../kit/Field.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { SecretDialog } from '../../kit/SecretDialog.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { FactoryCall } from './FactoryCall.tsx'
import { LimitFields, useTemplates } from './LimitFields.tsx'
import { newLimits, noLimits } from './key-limits.ts'
import { t } from './translations.ts'

type KeyKind = ApiKey['key_kind']

const kinds: readonly { value: KeyKind; label: string; hint: string }[] = [
  {
    value: 'provision',
    label: t('Provision key'),
    hint: t('For factories: it registers devices and rotates their credentials, nothing else.'),
  },
  {
    value: 'platform',
    label: t('Platform key'),
    hint: t('For your own backend: it acts as an admin of this workspace, until it is revoked.'),
  },
]

/**
 * The data that a program needs to use the key. The service itself refuses unknown names of its
 * own.
 */
const secretsOf = ({ key, key_kind: kind, workspace_id: id }: CreatedApiKey) => ({
  API_URL: window.location.origin,
  WORKSPACE_ID: id,
  [kind === 'platform' ? 'PLATFORM_KEY' : 'PROVISION_KEY']: key,
})

function Created({ made, onClose }: { made: CreatedApiKey; onClose: () => void }) {
  const values = secretsOf(made)
  return (
    <SecretDialog
      title={made.name === '' ? t('New API key') : t('Key {name}', made)}
      values={values}
      name={made.name.replace(/[^\w.-]+/g, '-') || made.id}
      {...(made.key_kind === 'provision' && {
        qr: JSON.stringify(values),
        after: <FactoryCall apiKey={made} secret={made.key} />,
      })}
      onClose={onClose}
    >
      {made.key_kind === 'platform'
        ? t('The service keeps only a hash. Send it as the header X-Api-Key.')
        : t('The service keeps only a hash. Send it as the header Service-Auth-Code.')}
    </SecretDialog>
  )
}

export function CreateKey({ onClose }: { onClose: () => void }) {
  const { id } = useWorkspace()
  const [kind, setKind] = useState<KeyKind>('provision')
  const [name, setName] = useState('')
  const [limits, setLimits] = useState(noLimits)
  const create = useChange('createApiKey', ['listApiKeys'])
  // Without their list, all of them would be a choice that nobody has made.
  const isUnread = useTemplates().data === undefined && kind === 'provision'
  const body: CreateApiKey = {
    key_kind: kind,
    ...(name.trim() !== '' && { name }),
    ...(kind === 'provision' && newLimits(limits)),
  }
  const input = { params: { id }, body }
  useNextCall('createApiKey', input)
  if (create.data !== undefined) return <Created made={create.data} onClose={onClose} />
  return (
    <Dialog title={t('Create an API key')} open wide onClose={onClose}>
      <Form onSubmit={() => create.mutate(input)} problem={create.error}>
        <RadioCards label={t('Kind')} value={kind} options={kinds} onValue={setKind} />
        <TextField
          label={t('Name')}
          optional
          hint={t('Which program or line uses it.')}
          pointer="/name"
          value={name}
          onValue={setName}
        />
        {kind === 'provision' && <LimitFields value={limits} onValue={setLimits} />}
        <SubmitActions
          act={t('Create')}
          busy={create.isPending}
          blocked={isUnread ? t('The templates are not known.') : undefined}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}
