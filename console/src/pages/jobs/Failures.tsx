/** The failures of a job, grouped by their reason. */
import type { JobItem } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Panel, Small } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Who } from '../../session/Who.tsx'
import { isLive, Why } from './job-labels.tsx'
import { type JobProps, ofJob } from './JobPage.tsx'
import { t } from './translations.ts'

const MAX_FAILURES = 200

interface Group {
  code: string
  count: number
  example: JobItem
}

function groupsOf(items: readonly JobItem[]): Group[] {
  const groups = new Map<string, Group>()
  for (const item of items) {
    const code = item.code ?? 'unknown'
    const group = groups.get(code) ?? { code, count: 0, example: item }
    groups.set(code, { ...group, count: group.count + 1 })
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count)
}

const columns: readonly Column<Group>[] = [
  {
    name: t('Reason'),
    wraps: true,
    cell: ({ code, example }) => <Why code={code} detail={example.detail} />,
  },
  { name: t('Devices'), number: true, cell: ({ count }) => count },
  {
    name: t('For example'),
    wraps: true,
    cell: ({ example }) => <Who id={example.device_id} />,
  },
]

export function Failures({ job }: JobProps) {
  const query = useRead(
    'listJobItems',
    { params: ofJob(job), query: { status: 'failed', limit: MAX_FAILURES } },
    { isLive: isLive(job) },
  )
  if (query.data === undefined) return <Pending query={query} of={t('The failures')} />
  const { items, next_cursor } = query.data
  const groups = { ...query, data: { items: groupsOf(items) } }
  return (
    <Panel
      title={t('Why devices failed')}
      flush
      {...(next_cursor !== null && {
        aside: <Small>{t('of the first {n} failures', { n: MAX_FAILURES })}</Small>,
      })}
    >
      <Table
        label={t('Why devices failed')}
        columns={columns}
        list={listOf(groups)}
        keyOf={({ code }) => code}
        empty={null}
      />
    </Panel>
  )
}
