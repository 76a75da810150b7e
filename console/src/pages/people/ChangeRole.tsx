/** Another role for a member, with what it means. */
import { useState } from 'react'
import type { Member } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { DoneAction, SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, RadioCards } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { Dialog, say } from '../../kit/Overlay.tsx'
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
import { roleNames } from '../../session/role-names.ts'
import { endsCreations, roleOptions } from './role-labels.ts'
import { t } from './translations.ts'

interface ChangeRoleProps {
  member: Member
  isOneself: boolean
  onClose: () => void
}

const REFRESHES = ['listMembers', 'listApiKeys', 'listInvitations', 'listWorkspaces'] as const

export function ChangeRole({ member, isOneself, onClose }: ChangeRoleProps) {
  const { id, role: own } = useWorkspace()
  const [role, setRole] = useState(member.role)
  const [kept, setKept] = useState<readonly Kept[]>([])
  const change = useChange('changeMember', REFRESHES)
  const params = { id, user_id: member.user_id }
  const query = isOneself ? {} : keepQuery(kept)
  const input = { params, query, body: { role } }
  useNextCall('changeMember', input)
  const isEnding = endsCreations(member.role, role)
  const { onlyOwner } = useOthers(member.user_id)
  const stays = isOneself && role !== 'owner' ? onlyOwner : undefined
  const endsOwn = isEnding && isOneself && stays === undefined
  const unread = useUnread(member.user_id, isEnding && !isOneself)
  const ownUnread = useOwnUnread(member.user_id, endsOwn)
  const name = member.name || member.email
  const same = role === member.role ? t('This is the current role.') : undefined
  const blocked = same ?? stays ?? unread ?? ownUnread
  const submit = (): void => {
    if (blocked !== undefined) return
    change.mutate(input, {
      onSuccess: () => {
        say(t('{name} is {role} now', { name, role: roleNames[role] }))
        if (!isEnding) onClose()
      },
    })
  }
  const title = t('Role of {name}', { name })
  if (change.data !== undefined && isEnding) {
    return (
      <Dialog title={title} open onClose={onClose}>
        <EndedInWords ended={change.data} />
        <DoneAction onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form onSubmit={submit} problem={change.error}>
        <RadioCards label={t('Role')} value={role} options={roleOptions(own)} onValue={setRole} />
        {isEnding && !isOneself && <Creations member={member} kept={kept} onKept={setKept} />}
        {stays !== undefined && <Note>{stays}</Note>}
        {endsOwn && <OwnCreations userId={member.user_id} />}
        <SubmitActions
          act={t('Change role')}
          kind={isEnding ? 'danger' : 'primary'}
          busy={change.isPending}
          blocked={blocked}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}
