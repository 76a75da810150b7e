/** The end of one's account. */
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { useLeaving } from '../../session/leaving.ts'
import { t } from './words.ts'

function Confirm({ email, onClose }: { email: string; onClose: () => void }) {
  const remove = useChange('deleteAccount')
  const leave = useLeaving()
  const input = { body: { confirm: email } }
  useNextCall('deleteAccount', input)
  return (
    <ConfirmDialog
      title={t('Delete your account?')}
      act={t('Delete my account')}
      typed={email}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate(input, { onSuccess: () => void leave('/account-deleted') })}
      onClose={onClose}
    >
      <Stack>
        <p>
          {t(
            'You are signed out everywhere and leave all workspaces. The API keys, MQTT logins and webhooks that you have created there end: colleagues who need them can remove you from the workspace first, and keep them.',
          )}
        </p>
        <p>{t('Nobody can restore the account. The address can be used for another one.')}</p>
      </Stack>
    </ConfirmDialog>
  )
}

export function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title={t('Delete my account')}>
      <Stack>
        <p>
          {t(
            'Your name, address, password and sessions are erased. The audit logs of your workspaces keep what you did, under the id of a deleted account.',
          )}
        </p>
        <FormActions>
          <Button kind="danger" onClick={() => setOpen(true)}>
            {t('Delete my account…')}
          </Button>
        </FormActions>
      </Stack>
      {isOpen && <Confirm email={email} onClose={() => setOpen(false)} />}
    </Panel>
  )
}
