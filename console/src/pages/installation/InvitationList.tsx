/** Invitations to all workspaces. */
import type { InstallationInvitation } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { roleNames } from '../../session/role-names.ts'
import { t } from './translations.ts'

const statusNames: Readonly<Record<string, string>> = {
  pending: t('pending'),
  accepted: t('accepted'),
  expired: t('expired'),
  revoked: t('revoked'),
}

const Status = ({ status }: { status: string }) => (
  <Badge tone={status === 'pending' ? 'info' : 'off'}>{statusNames[status] ?? status}</Badge>
)

const columns: readonly Column<InstallationInvitation>[] = [
  { name: t('E-mail'), breaks: true, cell: ({ email }) => email },
  {
    name: t('Workspace'),
    cell: ({ workspace, workspace_id }) => (
      <CellLink to={`/installation/workspaces/${workspace_id}`}>{workspace}</CellLink>
    ),
  },
  { name: t('Role'), cell: ({ role }) => <Badge plain>{roleNames[role]}</Badge> },
  {
    name: t('Status'),
    cell: ({ status, mail }) => (
      <>
        <Status status={status} />{' '}
        {(mail === 'kept' || mail === 'failed') && (
          <CellLink to={`/installation/mails?status=${mail}`}>{t('e-mail not sent')}</CellLink>
        )}
      </>
    ),
  },
  { name: t('Invited'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Expires'), cell: ({ expires_at }) => <Time at={expires_at} /> },
]

export default function InvitationList() {
  return (
    <ListPage
      title={t('Invitations')}
      columns={columns}
      list={useList('listInstallationInvitations', { query: { limit: 100 } })}
      keyOf={({ id }) => id}
      empty={{
        title: t('No invitations'),
        text: t('Owners and admins of a workspace invite people on its page People.'),
      }}
    />
  )
}
