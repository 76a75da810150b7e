/** The workspaces of the installation. */
import type { InstallationWorkspaceSummary } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { numberText } from '../../kit/numbers.ts'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { Finder, useFound } from './Finder.tsx'

const tones = { active: 'ok', suspended: 'warn', deleting: 'bad' } as const

export const TenantStatus = ({ status }: Pick<InstallationWorkspaceSummary, 'status'>) => (
  <Badge tone={tones[status]}>{status === 'deleting' ? 'deleted' : status}</Badge>
)

export const countText = ({ value, is_lower_bound }: InstallationWorkspaceSummary['devices']) =>
  `${numberText(value)}${is_lower_bound ? ' or more' : ''}`

const columns: readonly Column<InstallationWorkspaceSummary>[] = [
  {
    name: 'Name',
    wraps: true,
    cell: ({ id, name }) => <CellLink to={`/installation/workspaces/${id}`}>{name}</CellLink>,
  },
  { name: 'Slug', cell: ({ slug }) => <Id>{slug}</Id> },
  { name: 'Status', cell: TenantStatus },
  { name: 'Devices', number: true, cell: ({ devices }) => countText(devices) },
  { name: 'People', number: true, cell: ({ members }) => numberText(members) },
  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: 'Erased',
    cell: ({ erase_at }) => (erase_at === null ? '–' : <Time at={erase_at} />),
  },
]

export default function TenantList() {
  const list = useList('listInstallationWorkspaces', { query: { limit: 50, ...useFound() } })
  return (
    <ListPage
      title="All workspaces"
      columns={columns}
      list={list}
      keyOf={({ id }) => id}
      head={<Finder label="Find a workspace" hint="Part of a slug or a name." />}
      empty={{
        title: 'No workspace has this in its slug or name',
        text: 'A deleted workspace is listed for 30 days, in which it can be restored.',
      }}
    />
  )
}
