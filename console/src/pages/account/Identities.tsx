/** The identity providers that sign the person in to this account. */
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import type { LinkedIdentity } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { Item, Panel, Stack } from '../../kit/Layout.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Time } from '../../kit/Text.tsx'
import { useConfig } from '../../session/config.ts'
import { rich, t } from './translations.ts'

function Unlink({ identity, onClose }: { identity: LinkedIdentity; onClose: () => void }) {
  const unlink = useChange('unlinkIdentity', ['listIdentities', 'listSessions'])
  const params = { identity_id: identity.id }
  useNextCall('unlinkIdentity', { params })
  const done = (): void => {
    say(t('Unlinked'), t('All other sessions have ended.'))
    onClose()
  }
  return (
    <ConfirmDialog
      title={t('Unlink {provider}?', { provider: identity.provider })}
      act={t('Unlink')}
      busy={unlink.isPending}
      problem={unlink.error}
      onConfirm={() => unlink.mutate({ params }, { onSuccess: done })}
      onClose={onClose}
    >
      {t(
        'It does not sign you in any more, and all other sessions end. Be sure that you have a password or a passkey: a link that sets a password comes by mail.',
      )}
    </ConfirmDialog>
  )
}

export function Identities() {
  const query = useRead('listIdentities')
  const { data: config } = useConfig()
  const [chosen, setChosen] = useState<LinkedIdentity | null>(null)
  const items = query.data?.items
  if (items?.length === 0 && (config?.sso.length ?? 0) === 0) return null
  const labelOf = (name: string): string =>
    config?.sso.find((each) => each.name === name)?.label ?? name
  return (
    <Panel title={t('Single sign-on')}>
      {items === undefined ? (
        <Pending query={query} of={t('Your linked identities')} />
      ) : (
        <Stack tight>
          {items.length === 0 && (
            <Note>
              {t(
                'No provider is linked. Choose one on the sign-in page: it is linked once you have signed in to this account there.',
              )}
            </Note>
          )}
          {items.map((identity) => (
            <Item
              key={identity.id}
              mark={<Building2 size={16} aria-hidden="true" />}
              title={labelOf(identity.provider)}
              action={<Button onClick={() => setChosen(identity)}>{t('Unlink…')}</Button>}
            >
              {rich('{email}, last used {time}', {
                email: identity.email,
                time: <Time at={identity.last_used_at} />,
              })}
            </Item>
          ))}
        </Stack>
      )}
      {chosen !== null && <Unlink identity={chosen} onClose={() => setChosen(null)} />}
    </Panel>
  )
}
