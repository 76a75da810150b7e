/** The result of each device of a job. */
import { useState } from 'react'
import type { JobItem } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { None, Panel, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { Who } from '../../session/Who.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { commandLabels } from '../devices/command-labels.ts'
import {
  commandsEveryMs,
  failedHeading,
  isLive,
  isOfCommands,
  issuedHeading,
  ItemStatus,
  Why,
} from './job-labels.tsx'
import { type JobProps, ofJob } from './JobPage.tsx'
import { t } from './translations.ts'

type Status = JobItem['status']

const PAGE = 50

const statuses: readonly Status[] = ['failed', 'succeeded', 'skipped', 'pending', 'cancelled']

const headings: Readonly<Record<Exclude<Status, 'failed'>, string>> = {
  succeeded: t('Succeeded'),
  skipped: t('Skipped'),
  pending: t('Pending'),
  cancelled: t('Cancelled'),
}

function headingOf(job: JobProps['job'], status: Status): string {
  if (status === 'failed') return failedHeading(job)
  return status === 'succeeded' && isOfCommands(job) ? issuedHeading(job) : headings[status]
}

const reason: Column<JobItem> = {
  name: t('Reason'),
  wraps: true,
  cell: ({ code, detail }) => (code === null ? <None /> : <Why code={code} detail={detail} />),
}

const present: Column<JobItem> = {
  name: t('Command'),
  wraps: true,
  cell: ({ command }) => {
    if (command === null) return <None />
    const [words, tone] = commandLabels[command.status]
    return <Badge tone={tone}>{words}</Badge>
  },
}

const isWaiting = ({ command }: JobItem): boolean =>
  command?.status === 'pending' || command?.status === 'sent'

const columnsOf = (job: JobProps['job'], hasReasons: boolean): readonly Column<JobItem>[] => [
  { name: t('Device'), wraps: true, cell: ({ device_id }) => <Who id={device_id} /> },
  {
    name: t('Result'),
    cell: (item) => <ItemStatus job={job} item={item} />,
  },
  ...(isOfCommands(job) ? [present] : []),
  ...(hasReasons ? [reason] : []),
  {
    name: t('At'),
    ends: true,
    cell: ({ ended_at }) => (ended_at === null ? <None /> : <Time at={ended_at} />),
  },
]

export function JobItems({ job }: JobProps) {
  const { slug } = useWorkspace()
  const [{ status: chosen }] = useSearchState<{ status: string }>()
  const status = statuses.find((each) => each === chosen)
  const [isOpen, setOpen] = useState(false)
  const list = useList(
    'listJobItems',
    { params: ofJob(job), query: { limit: PAGE, ...(status && { status }) } },
    { isLive: isLive(job), refetchInterval: isOpen && commandsEveryMs(job) },
  )
  const { items = [] } = list
  // By its own rows: the numbers of the job may be read before them, and end before them. All pages
  // are read again together: then it is left to the person.
  const hasOpen = items.length <= PAGE && items.some(isWaiting)
  if (hasOpen !== isOpen) setOpen(hasOpen)
  const to = below(slug, `jobs/${job.id}`)
  const hasReasons = items.some(({ code }) => code !== null)
  const tabs = [
    { label: t('All'), link: { to, search: {} as never } },
    ...statuses
      .filter((each) => job.counts[each] > 0 || each === status)
      .map((each) => ({
        label: `${headingOf(job, each)} (${numberText(job.counts[each])})`,
        link: { to, search: { status: each } as never },
      })),
  ]
  return (
    <Stack tight>
      <Tabs label={t('Which devices')} tabs={tabs} />
      <Panel flush>
        <Table
          label={t('Results')}
          columns={columnsOf(job, hasReasons)}
          list={list}
          keyOf={({ device_id }) => device_id}
          empty={
            <Empty title={t('No such device')}>{t('No device of this job has this result.')}</Empty>
          }
        />
      </Panel>
    </Stack>
  )
}
