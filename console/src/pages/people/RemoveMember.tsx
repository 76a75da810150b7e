/** The end of a membership: of somebody else, with what ends with it, or one's own. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Member } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DoneAction } from '../../kit/DialogActions.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { ConfirmDialog, Dialog } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import {
  Creations,
  EndedInWords,
  keepQuery,
  type Kept,
  OwnCreations,
  useOwnUnread,
  useUnread,
} from './Creations.tsx'
import { useOthers } from './others.ts'
import { endsCreations } from './role-labels.ts'
import { t } from './translations.ts'

interface RemoveProps {
  member: Member
  onClose: () => void
}

export function RemoveMember({ member, onClose }: RemoveProps) {
  const { id } = useWorkspace()
  const [kept, setKept] = useState<readonly Kept[]>([])
  const remove = useChange('removeMember', ['listMembers', 'listApiKeys', 'listInvitations'])
  const input = { params: { id, user_id: member.user_id }, query: keepQuery(kept) }
  useNextCall('removeMember', input)
  const isEnding = endsCreations(member.role, 'viewer')
  const unread = useUnread(member.user_id, isEnding)
  const name = member.name || member.email
  if (remove.data !== undefined) {
    return (
      <Dialog title={t('{name} is removed', { name })} open onClose={onClose}>
        <EndedInWords ended={remove.data} />
        <DoneAction onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={t('Remove {name}?', { name })}
      act={t('Remove')}
      blocked={unread}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate(input)}
      onClose={onClose}
    >
      <Stack>
        <p>
          {t(
            '{name} loses access with the next request. Devices, templates and everything else stay.',
            {
              name,
            },
          )}
        </p>
        {isEnding && <Creations member={member} kept={kept} onKept={setKept} />}
      </Stack>
    </ConfirmDialog>
  )
}

/** Leaving a workspace oneself. */
export function LeaveWorkspace({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { id, name, role } = useWorkspace()
  const navigate = useNavigate()
  const leave = useChange('removeMember')
  const input = { params: { id, user_id: userId } }
  useNextCall('removeMember', input)
  const { onlyOwner, canBeRemoved } = useOthers(userId)
  const isEnding = onlyOwner === undefined && endsCreations(role, 'viewer')
  const unread = useOwnUnread(userId, isEnding)
  const confirm = (): void =>
    leave.mutate(input, {
      // All that was read as a member is dropped with the document.
      onSuccess: () => void navigate({ to: '/workspaces', reloadDocument: true }),
    })
  return (
    <ConfirmDialog
      title={t('Leave {name}?', { name })}
      act={t('Leave')}
      blocked={onlyOwner ?? unread}
      busy={leave.isPending}
      problem={leave.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack>
        <p>{t('You lose access at once, and need an invitation to come back.')}</p>
        {isEnding && (
          <>
            <OwnCreations userId={userId} />
            {canBeRemoved && (
              <p>{t('If some of it is in use, let a colleague remove you: they can keep it.')}</p>
            )}
          </>
        )}
      </Stack>
    </ConfirmDialog>
  )
}
