/** The people of a workspace: its members, and who is invited. */
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../kit/Button.tsx'
import { makingKind } from '../../kit/ListPage.tsx'
import { Note } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { Invitations } from './Invitations.tsx'
import { Invite } from './Invite.tsx'
import { Members, useMembers } from './Members.tsx'
import { t } from './translations.ts'

export default function PeoplePage() {
  const members = useMembers()
  const [isInviting, setInviting] = useState(false)
  const blocked = useBlocked('createInvitation')
  const hidden = useBlocked('listInvitations')
  return (
    <Page
      title={t('People')}
      actions={
        <Button
          kind={makingKind(members)}
          icon={<UserPlus size={15} />}
          blocked={blocked}
          onClick={() => setInviting(true)}
        >
          {t('Invite')}
        </Button>
      }
    >
      <Members />
      {hidden === undefined ? (
        <Invitations />
      ) : (
        <Note>{t('Invitations are not shown. {why}', { why: hidden })}</Note>
      )}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </Page>
  )
}
