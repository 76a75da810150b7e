/** Invitations that wait for a response. */
import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import type { Invitation } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button, IconButton } from '../../kit/Button.tsx'
import { Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { ConfirmDialog, Menu, say } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useConfig } from '../../session/config.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { InvitationLink } from './InvitationLink.tsx'
import { roleNames } from '../../session/role-names.ts'
import { whyNotManage } from './role-labels.ts'
import { t } from './translations.ts'

interface RevokeProps {
  invitation: Invitation
  onClose: () => void
}

function Revoke({ invitation, onClose }: RevokeProps) {
  const revoke = useChange('revokeInvitation', ['listInvitations'])
  const params = { id: invitation.workspace_id, invitation_id: invitation.id }
  useNextCall('revokeInvitation', { params })
  const confirm = (): void =>
    revoke.mutate(
      { params },
      {
        onSuccess: () => {
          say(t('Invitation revoked'))
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      title={t('Revoke the invitation of {email}?', invitation)}
      act={t('Revoke')}
      busy={revoke.isPending}
      problem={revoke.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {t('Its link stops. You can invite the address again.')}
    </ConfirmDialog>
  )
}

interface ActsProps {
  invitation: Invitation
  onLink: () => void
  onRevoke: () => void
}

function Acts({ invitation, onLink, onRevoke }: ActsProps) {
  const { role } = useWorkspace()
  const { data: config } = useConfig()
  const blocked = whyNotManage(role, invitation.role)
  const revoke = { label: t('Revoke…'), danger: true, blocked, onSelect: onRevoke }
  return (
    <>
      {config?.mail === false && (
        <Button blocked={blocked} onClick={onLink}>
          {t('New link…')}
        </Button>
      )}
      <Menu
        trigger={
          <IconButton
            label={t('More about {name}', { name: invitation.email })}
            icon={<MoreHorizontal size={16} />}
          />
        }
        items={[revoke]}
      />
    </>
  )
}

export function Invitations() {
  const { id } = useWorkspace()
  const list = useList('listInvitations', {
    params: { id },
    query: { limit: 100, status: 'pending' },
  })
  const [chosen, setChosen] = useState<Invitation | null>(null)
  const [linked, setLinked] = useState<Invitation | null>(null)
  const columns: readonly Column<Invitation>[] = [
    { name: t('E-mail'), breaks: true, cell: ({ email }) => email },
    { name: t('Role'), cell: ({ role }) => <Badge plain>{roleNames[role]}</Badge> },
    { name: t('Invited'), cell: ({ created_at }) => <Time at={created_at} /> },
    { name: t('Invited by'), cell: ({ created_by }) => <Who id={created_by} /> },
    { name: t('Expires'), cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      name: t('Acts'),
      hidesName: true,
      number: true,
      stays: true,
      cell: (invitation) => (
        <Acts
          invitation={invitation}
          onLink={() => setLinked(invitation)}
          onRevoke={() => setChosen(invitation)}
        />
      ),
    },
  ]
  const { data: config } = useConfig()
  const hasRows = (list.items?.length ?? 0) > 0
  return (
    <Stack>
      {config?.mail === false && hasRows && (
        <Note tone="warn" title={t('Invitations are not e-mailed: there is no mail server')}>
          {t('Press New link… and give the link to the person.')}
        </Note>
      )}
      <Panel title={t('Pending invitations')} flush>
        <Table
          label={t('Pending invitations')}
          columns={columns}
          list={list}
          keyOf={(each) => each.id}
          empty={
            <Empty title={t('Nobody is invited')}>
              {t('An invitation is a link that works once, for the invited address only.')}
            </Empty>
          }
        />
      </Panel>
      {linked !== null && <InvitationLink invitation={linked} onClose={() => setLinked(null)} />}
      {chosen !== null && <Revoke invitation={chosen} onClose={() => setChosen(null)} />}
    </Stack>
  )
}
