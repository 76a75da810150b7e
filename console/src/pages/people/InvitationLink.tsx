/** The link of an invitation, to hand over where no mail server sends it. */
import type { Invitation } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DoneAction } from '../../kit/DialogActions.tsx'
import { Note } from '../../kit/Note.tsx'
import { ConfirmDialog, Dialog } from '../../kit/Overlay.tsx'
import { Code, exactTime } from '../../kit/Text.tsx'
import { t } from './translations.ts'

interface LinkProps {
  invitation: Invitation
  onClose: () => void
}

export function InvitationLink({ invitation, onClose }: LinkProps) {
  const { email, workspace_id: id, id: invitation_id } = invitation
  const create = useChange('createInvitationLink')
  const params = { id, invitation_id }
  useNextCall('createInvitationLink', { params })
  if (create.data !== undefined) {
    const { url, expires_at } = create.data
    return (
      <Dialog title={t('Link for {email}', { email })} open stays onClose={onClose}>
        <Note tone="warn" title={t('It is shown this once.')}>
          {t(
            'It works once, until {time}. Hand it to {email} only: the person who opens it joins.',
            {
              time: exactTime(expires_at),
              email,
            },
          )}
        </Note>
        <Code label={t('Link')}>{url}</Code>
        <DoneAction onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={t('A new link for {email}?', { email })}
      act={t('Create a new link')}
      kind="primary"
      busy={create.isPending}
      problem={create.error}
      onConfirm={() => create.mutate({ params })}
      onClose={onClose}
    >
      {t(
        'A link that was handed over before stops working. The new one is shown once, and the audit log records that you have seen it.',
      )}
    </ConfirmDialog>
  )
}
