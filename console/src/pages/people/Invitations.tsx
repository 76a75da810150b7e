/** Invitations that wait for an answer. */
import { useState } from 'react'
import type { Invitation } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { InvitationLink } from './InvitationLink.tsx'
import { whyNotManage } from './role-words.ts'

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
          say('Invitation revoked')
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      title={`Revoke the invitation of ${invitation.email}?`}
      act="Revoke"
      busy={revoke.isPending}
      problem={revoke.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      Its link stops. You can invite the address again.
    </ConfirmDialog>
  )
}

export function Invitations() {
  const { id, role: own } = useWorkspace()
  const list = useList('listInvitations', {
    params: { id },
    query: { limit: 100, status: 'pending' },
  })
  const { data: config } = useRead('getConsoleConfig')
  const [chosen, setChosen] = useState<Invitation | null>(null)
  const [linked, setLinked] = useState<Invitation | null>(null)
  const columns: readonly Column<Invitation>[] = [
    { name: 'E-mail', breaks: true, cell: ({ email }) => email },
    { name: 'Role', cell: ({ role }) => <Badge plain>{role}</Badge> },
    { name: 'Invited', cell: ({ created_at }) => <Time at={created_at} /> },
    { name: 'By', cell: ({ created_by }) => <Who id={created_by} /> },
    { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      name: 'Acts',
      hidesName: true,
      number: true,
      stays: true,
      cell: (invitation) => (
        <>
          {config?.mail === false && (
            <Button
              kind="quiet"
              blocked={whyNotManage(own, invitation.role)}
              onClick={() => setLinked(invitation)}
            >
              Copy link
            </Button>
          )}{' '}
          <Button
            kind="quiet"
            blocked={whyNotManage(own, invitation.role)}
            onClick={() => setChosen(invitation)}
          >
            Revoke
          </Button>
        </>
      ),
    },
  ]
  return (
    <Panel title="Pending invitations" flush>
      <Table
        label="Pending invitations"
        columns={columns}
        list={list}
        keyOf={(each) => each.id}
        empty={
          <Empty title="Nobody is invited">
            An invitation is a link that works once, for the invited address only.
          </Empty>
        }
      />
      {linked !== null && <InvitationLink invitation={linked} onClose={() => setLinked(null)} />}
      {chosen !== null && <Revoke invitation={chosen} onClose={() => setChosen(null)} />}
    </Panel>
  )
}
