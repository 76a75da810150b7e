/** The workspaces of the installation. */
import type { InstallationWorkspaceSummary } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { None } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { numberText } from '../../kit/numbers.ts'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { Finder, ShowAll, useFound } from './Finder.tsx'
import { t } from './translations.ts'

const tones = { active: 'ok', suspended: 'warn', deleting: 'bad' } as const

const statusNames: Readonly<Record<InstallationWorkspaceSummary['status'], string>> = {
  active: t('active'),
  suspended: t('suspended'),
  deleting: t('deleted'),
}

export const TenantStatus = ({ status }: Pick<InstallationWorkspaceSummary, 'status'>) => (
  <Badge tone={tones[status]}>{statusNames[status]}</Badge>
)

export const countText = ({ value, is_lower_bound }: InstallationWorkspaceSummary['devices']) =>
  is_lower_bound ? t('{n} or more', { n: numberText(value) }) : numberText(value)

export function planText({ plan, plan_is_default }: InstallationWorkspaceSummary): string {
  if (plan === null) return t('no plan')
  return plan_is_default ? t('{plan} (default)', { plan }) : plan
}

const columns: readonly Column<InstallationWorkspaceSummary>[] = [
  {
    name: t('Name'),
    wraps: true,
    cell: ({ id, name }) => <CellLink to={`/installation/workspaces/${id}`}>{name}</CellLink>,
  },
  { name: t('Slug'), cell: ({ slug }) => <Id>{slug}</Id> },
  { name: t('Status'), cell: TenantStatus },
  { name: t('Devices'), number: true, cell: ({ devices }) => countText(devices) },
  { name: t('People'), number: true, cell: ({ members }) => numberText(members) },
  { name: t('Plan'), cell: planText },
  { name: t('Created'), cell: ({ created_at }) => <Time at={created_at} /> },
]

/** Only while one of them is being deleted. */
const erasing: Column<InstallationWorkspaceSummary> = {
  name: t('Erased on'),
  cell: ({ erase_at }) => (erase_at === null ? <None /> : <Time at={erase_at} />),
}

export default function TenantList() {
  const found = useFound()
  const list = useList('listInstallationWorkspaces', { query: { limit: 50, ...found } })
  const isErasing = list.items?.some(({ erase_at }) => erase_at !== null) === true
  return (
    <ListPage
      title={t('All workspaces')}
      of={t('The workspaces')}
      columns={isErasing ? [...columns, erasing] : columns}
      list={list}
      keyOf={({ id }) => id}
      head={<Finder label={t('Find a workspace')} hint={t('Part of a slug or a name.')} />}
      empty={{
        title: t('No workspace matches'),
        text: t('A deleted workspace is listed for 30 days, in which it can be restored.'),
        ...(found.search !== undefined && { action: <ShowAll /> }),
      }}
    />
  )
}
