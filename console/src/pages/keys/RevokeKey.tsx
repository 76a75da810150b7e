/** The end of an API key, with what it means. */
import type { ApiKey } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Time } from '../../kit/Text.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { keyName, registeredInWords } from './key-words.tsx'
import { rich, t } from './words.ts'

const effects = {
  platform: t(
    'Programs that use it are refused from the next call on, on every process within a second. Keys that were created with it stay; the invitations that it has sent end.',
  ),
  provision: t(
    'Lines that use it register and rotate nothing from the next call on, on every process within a second. The devices that it has registered stay, with their credentials.',
  ),
}

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
    >
      <Stack>
        <p>{effects[apiKey.key_kind]}</p>
        {apiKey.key_kind === 'provision' && (
          <Facts facts={[[t('Devices registered'), registeredInWords(apiKey)]]} />
        )}
        <p>
          {rich('It was last used: {time}. There is no way back; a new key is another key.', {
            time: <Time at={apiKey.last_used_at} />,
          })}
        </p>
      </Stack>
    </ConfirmDialog>
  )
}
