/** The name of a login, what it is for, and until when it may connect. */
import type { MqttPrincipal, UpdateMqttPrincipal } from '../../../../sdk/schema.ts'
import { useDraft } from '../../api/draft.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DraftForm } from '../../kit/DraftForm.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { say } from '../../kit/Overlay.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { localTime } from '../keys/key-limits.ts'
import { ofLogin } from './login-words.tsx'

interface SettingsProps {
  login: MqttPrincipal
  etag: string | undefined
}

export function LoginSettings({ login, etag }: SettingsProps) {
  const { name, description, expires_at } = login
  const present = { name, description, expires: expires_at === null ? '' : localTime(expires_at) }
  const draft = useDraft(present, etag)
  const save = useChange('updateMqttPrincipal', ['getMqttPrincipal', 'listMqttPrincipals'])
  const blocked = useBlocked('updateMqttPrincipal')
  const { value, base } = draft
  const expires = value.expires === '' ? null : new Date(value.expires).toISOString()
  const body: UpdateMqttPrincipal = {
    ...(value.name !== base.name && { name: value.name }),
    ...(value.description !== base.description && { description: value.description }),
    ...(value.expires !== base.expires && { expires_at: expires }),
  }
  const params = ofLogin(login)
  useNextCall('updateMqttPrincipal', { params, body })
  const done = (): void => {
    draft.drop()
    say('Saved')
  }
  return (
    <Stack narrow>
      <Panel title="Name and expiry">
        <DraftForm
          draft={draft}
          problem={save.error}
          busy={save.isPending}
          blocked={blocked}
          onSave={() => save.mutate({ params, body, etag: draft.etag }, { onSuccess: done })}
          onReset={save.reset}
        >
          <TextField
            label="Name"
            pointer="/name"
            value={value.name}
            onValue={(next) => draft.change({ name: next })}
          />
          <TextField
            label="Description"
            optional
            pointer="/description"
            value={value.description}
            onValue={(next) => draft.change({ description: next })}
          />
          <TextField
            label="Expires"
            optional
            type="datetime-local"
            pointer="/expires_at"
            hint="In the time zone of this browser. Empty: it does not expire."
            value={value.expires}
            onValue={(next) => draft.change({ expires: next })}
          />
        </DraftForm>
      </Panel>
    </Stack>
  )
}
