/** The link of an invitation, to hand over where no mail server sends it. */
import type { Invitation } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { ConfirmDialog, Dialog } from '../../kit/Overlay.tsx'
import { Code, exactTime } from '../../kit/Text.tsx'

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
      <Dialog title={`Link for ${email}`} open stays onClose={onClose}>
        <Note tone="warn" title="It is shown this once.">
          It works once, until {exactTime(expires_at)}. Hand it to {email} only: the person who
          opens it joins.
        </Note>
        <Code label="Link">{url}</Code>
        <FormActions>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </FormActions>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={`Show a link for ${email}?`}
      act="Show the link"
      kind="primary"
      busy={create.isPending}
      problem={create.error}
      onConfirm={() => create.mutate({ params })}
      onClose={onClose}
    >
      An earlier link stops. The audit log records that you have seen this one.
    </ConfirmDialog>
  )
}
