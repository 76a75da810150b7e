/** The jobs of a workspace: the same change of many devices. */
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Job } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { LinkButton } from '../../kit/Button.tsx'
import { Panel, Small } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { titleOf } from '../../session/job-actions.ts'
import { Who } from '../../session/Who.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { WITH_GUIDE } from '../devices/guide.ts'
import { JobProgress, JobStatus, moreParametersOf } from './job-labels.tsx'
import { rich, t } from './translations.ts'

function Attempted({ counts }: Pick<Job, 'counts'>) {
  const { total, pending } = counts
  return t('{done} of {total}', { done: numberText(total - pending), total: numberText(total) })
}

const columnsOf = (slug: string): readonly Column<Job>[] => [
  {
    name: t('Job'),
    wraps: true,
    cell: (job) => (
      <>
        <Link to={below(slug, `jobs/${job.id}`)}>{titleOf(job)}</Link>{' '}
        <Small>{moreParametersOf(job)}</Small>
      </>
    ),
  },
  { name: t('Status'), ends: true, cell: (job) => <JobStatus job={job} /> },
  { name: t('Progress'), cell: (job) => <JobProgress job={job} /> },
  { name: t('Devices'), number: true, cell: Attempted },
  {
    name: t('Failed'),
    number: true,
    cell: ({ counts }) =>
      counts.failed === 0 ? 0 : <Badge tone="bad">{numberText(counts.failed)}</Badge>,
  },
  { name: t('Started'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Created by'), cell: ({ created_by }) => <Who id={created_by} /> },
]

const COMMAND = "mooring jobs start tag --filter 'status = active' --set-tag floor=ground"

const What = () => {
  const { slug } = useWorkspace()
  const act = <Link to={below(slug, 'rotations')}>{t('start a rotation')}</Link>
  return rich(
    'A job changes many devices, each exactly once: tags, templates, configuration, commands. To change credentials wave after wave, {act}.',
    { act },
  )
}

/** Where nothing can be changed yet, the way to a first device. */
function NoJobs() {
  const { id, slug } = useWorkspace()
  const { data } = useRead('countDevices', { params: { id } })
  const hasNone = data?.value === 0
  const [path, label] = hasNone
    ? (['devices/new', t('Connect a device')] as const)
    : (['devices', t('Start a job')] as const)
  return (
    <Empty
      title={t('No jobs yet')}
      {...(!hasNone && { command: COMMAND })}
      action={
        <LinkButton kind="primary" to={below(slug, path)} {...(!hasNone && { search: WITH_GUIDE })}>
          {label}
        </LinkButton>
      }
    >
      <What />{' '}
      {hasNone
        ? t('This workspace has no device yet: connect the first one.')
        : t('Choose devices by a filter and start one.')}
    </Empty>
  )
}

export default function JobList() {
  const { id, slug } = useWorkspace()
  const input = { params: { id }, query: { limit: 50 } }
  const list = useList('listJobs', input, { isLive: true })
  const hasRows = (list.items?.length ?? 0) > 0
  // An empty list has the button itself.
  const isEmpty = list.items?.length === 0
  return (
    <Page
      title={t('Jobs')}
      about={hasRows ? <What /> : undefined}
      actions={
        !isEmpty && (
          <LinkButton
            kind="primary"
            icon={<Plus size={15} />}
            to={below(slug, 'devices')}
            search={WITH_GUIDE}
          >
            {t('Start a job')}
          </LinkButton>
        )
      }
    >
      <Panel flush>
        <Table
          label={t('Jobs')}
          columns={columnsOf(slug)}
          list={list}
          keyOf={(job) => job.id}
          empty={<NoJobs />}
        />
      </Panel>
    </Page>
  )
}
