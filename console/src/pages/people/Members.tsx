/** The members of a workspace, and what can be done about each. */
import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import type { Member } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { IconButton } from '../../kit/Button.tsx'
import { Panel, Row, Small } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { Menu } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ChangeRole } from './ChangeRole.tsx'
import { LeaveWorkspace, RemoveMember } from './RemoveMember.tsx'
import { roleNames } from '../../session/role-names.ts'
import { whyNotManage } from './role-labels.ts'
import { t } from './translations.ts'

type Act = 'role' | 'remove' | 'leave'

interface ActsProps {
  member: Member
  isOneself: boolean
  onAct: (act: Act) => void
}

function Acts({ member, isOneself, onAct }: ActsProps) {
  const { role } = useWorkspace()
  const blocked = whyNotManage(role, member.role)
  const name = member.name || member.email
  const end = isOneself
    ? { label: t('Leave…'), danger: true, onSelect: () => onAct('leave') }
    : { label: t('Remove…'), danger: true, blocked, onSelect: () => onAct('remove') }
  return (
    <Menu
      trigger={
        <IconButton label={t('More about {name}', { name })} icon={<MoreHorizontal size={16} />} />
      }
      items={[{ label: t('Change role…'), blocked, onSelect: () => onAct('role') }, end]}
    />
  )
}

export function useMembers() {
  const { id } = useWorkspace()
  return useList('listMembers', { params: { id }, query: { limit: 100 } })
}

export function Members() {
  const list = useMembers()
  const { data: me } = useRead('getMe')
  const [open, setOpen] = useState<{ member: Member; act: Act } | null>(null)
  const close = (): void => setOpen(null)
  const columns: readonly Column<Member>[] = [
    {
      name: t('Person'),
      cell: ({ name, email, user_id }) => (
        <Row>
          <span>{name || email}</span>
          {user_id === me?.id && <Small>{t('you')}</Small>}
        </Row>
      ),
    },
    { name: t('Role'), cell: ({ role }) => <Badge plain>{roleNames[role]}</Badge> },
    { name: t('E-mail'), breaks: true, cell: ({ email }) => email },
    { name: t('Joined'), cell: ({ joined_at }) => <Time at={joined_at} /> },
    {
      name: t('Acts'),
      hidesName: true,
      number: true,
      stays: true,
      cell: (member) => (
        <Acts
          member={member}
          isOneself={member.user_id === me?.id}
          onAct={(act) => setOpen({ member, act })}
        />
      ),
    },
  ]
  return (
    <Panel title={t('Members')} flush>
      <Table
        label={t('Members')}
        columns={columns}
        list={list}
        keyOf={({ user_id }) => user_id}
        empty={<Empty title={t('No members')}>{t('Nobody is here.')}</Empty>}
      />
      {open?.act === 'role' && (
        <ChangeRole
          member={open.member}
          isOneself={open.member.user_id === me?.id}
          onClose={close}
        />
      )}
      {open?.act === 'remove' && <RemoveMember member={open.member} onClose={close} />}
      {open?.act === 'leave' && <LeaveWorkspace userId={open.member.user_id} onClose={close} />}
    </Panel>
  )
}
