/** The end of an API key, with what it means. */
import type { ApiKey } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { presentTime } from '../../kit/clock.ts'
import { Time } from '../../kit/Text.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { keyName, quotaInWords } from './key-labels.tsx'
import { t } from './translations.ts'

const effects = {
  platform: t(
    'Within a second it is refused everywhere. Keys that were created with it stay; the invitations that it has sent end.',
  ),
  provision: t(
    'Within a second it is refused everywhere: lines that use it can neither register devices nor rotate their credentials. Devices that it has registered stay, with their credentials.',
  ),
}

const RECENT_MS = 30 * 86_400_000

/** Somebody may still depend on it: its name is typed first. */
const isInUse = ({ last_used_at }: ApiKey): boolean =>
  last_used_at !== null && presentTime() - Date.parse(last_used_at) < RECENT_MS

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useChange('revokeApiKey', ['getApiKey', 'listApiKeys'])
  const params = { id: apiKey.workspace_id, key_id: apiKey.id }
  useNextCall('revokeApiKey', { params })
  const confirm = (): void =>
    revoke.mutate(
      { params },
      {
        onSuccess: () => {
          say(t('Revoked: {name}', { name: keyName(apiKey) }))
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      title={t('Revoke {name}?', { name: keyName(apiKey) })}
      act={t('Revoke')}
      busy={revoke.isPending}
      problem={revoke.error}
      onConfirm={confirm}
      onClose={onClose}
      {...(isInUse(apiKey) && apiKey.name !== '' && { typed: apiKey.name })}
    >
      <Stack>
        <p>{effects[apiKey.key_kind]}</p>
        <Facts
          facts={[
            [t('Last use'), <Time key="used" at={apiKey.last_used_at} />],
            [
              t('Devices registered'),
              apiKey.device_quota === null ? undefined : quotaInWords(apiKey),
            ],
          ]}
        />
        <p>{t('This cannot be undone; a new key is another key.')}</p>
      </Stack>
    </ConfirmDialog>
  )
}
