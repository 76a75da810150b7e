/** The name of a login, what it is for, and until when it may connect. */
import type { MqttPrincipal } from '../../../../sdk/schema.ts'
import { ChangeForm } from '../../kit/ChangeForm.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { localTime } from '../keys/key-limits.ts'
import { ofLogin } from './login-labels.tsx'
import { t } from './translations.ts'

interface SettingsProps {
  login: MqttPrincipal
  etag: string | undefined
}

const timeOf = (text: string): string | null => (text === '' ? null : new Date(text).toISOString())

export function LoginSettings({ login, etag }: SettingsProps) {
  const { name, description, expires_at } = login
  return (
    <Stack narrow>
      <ChangeForm
        title={t('Name and expiry')}
        operation="updateMqttPrincipal"
        params={ofLogin(login)}
        etag={etag}
        present={{ name, description, expires: expires_at === null ? '' : localTime(expires_at) }}
        bodyOf={(value, base) => ({
          ...(value.name !== base.name && { name: value.name }),
          ...(value.description !== base.description && { description: value.description }),
          ...(value.expires !== base.expires && { expires_at: timeOf(value.expires) }),
        })}
        refreshes={['getMqttPrincipal', 'listMqttPrincipals']}
      >
        {(value, change) => (
          <>
            <TextField
              label={t('Name')}
              pointer="/name"
              value={value.name}
              onValue={(next) => change({ name: next })}
            />
            <TextField
              label={t('Description')}
              optional
              pointer="/description"
              value={value.description}
              onValue={(next) => change({ description: next })}
            />
            <TextField
              label={t('Expires')}
              optional
              type="datetime-local"
              pointer="/expires_at"
              hint={t('In the time zone of this browser. Empty: it does not expire.')}
              value={value.expires}
              onValue={(next) => change({ expires: next })}
            />
          </>
        )}
      </ChangeForm>
    </Stack>
  )
}
