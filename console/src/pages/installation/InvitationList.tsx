/** Invitations to all workspaces. */
import type { InstallationInvitation } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import type { Column } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'

const columns: readonly Column<InstallationInvitation>[] = [
  { name: 'Workspace', cell: ({ workspace }) => <Id>{workspace}</Id> },
  { name: 'Address', breaks: true, cell: ({ email }) => email },
  { name: 'Role', cell: ({ role }) => <Badge plain>{role}</Badge> },
  {
    name: 'Status',
    cell: ({ status }) => <Badge tone={status === 'pending' ? 'info' : 'off'}>{status}</Badge>,
  },
  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
]

export default function InvitationList() {
  return (
    <ListPage
      title="Invitations"
      columns={columns}
      list={useList('listInstallationInvitations', { query: { limit: 100 } })}
      keyOf={({ id }) => id}
      empty={{
        title: 'No invitations',
        text: 'Owners and admins of a workspace invite people on its page People.',
      }}
    />
  )
}
