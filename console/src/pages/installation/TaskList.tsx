/** Background work: the tasks that run, wait, are late or were given up. */
import type { BackgroundTask } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Muted, None, Stack } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { numberText } from '../../kit/numbers.ts'
import type { Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { StatusSelect } from './StatusSelect.tsx'
import { taskNames } from './task-labels.ts'
import { t } from './translations.ts'

type Status = BackgroundTask['status']

const REFRESH_MS = 10_000

const tones: Readonly<Record<Status, BadgeTone>> = {
  running: 'info',
  waiting: 'off',
  late: 'warn',
  failed: 'bad',
}

const statusNames: Readonly<Record<Status, string>> = {
  running: t('running'),
  waiting: t('scheduled'),
  late: t('late'),
  failed: t('given up'),
}

const options: readonly { value: Status | ''; label: string }[] = [
  { value: '', label: t('All') },
  { value: 'failed', label: t('Given up') },
  { value: 'late', label: t('Late') },
  { value: 'running', label: t('Running') },
  { value: 'waiting', label: t('Scheduled') },
]

const columns: readonly Column<BackgroundTask>[] = [
  {
    name: t('Task'),
    wraps: true,
    heads: true,
    cell: ({ task }) => (
      <>
        {taskNames[task]}{' '}
        <Muted>
          <code>{task}</code>
        </Muted>
      </>
    ),
  },
  {
    name: t('Status'),
    cell: ({ status }) => <Badge tone={tones[status]}>{statusNames[status]}</Badge>,
  },
  { name: t('Due'), cell: ({ due_at }) => <Time at={due_at} /> },
  {
    name: t('Attempts'),
    number: true,
    cell: ({ attempts, max_attempts }) =>
      attempts === 0 ? (
        <None />
      ) : (
        t('{n} of {total}', { n: numberText(attempts), total: numberText(max_attempts) })
      ),
  },
  {
    name: t('Last error'),
    breaks: true,
    cell: ({ last_error }) =>
      last_error === null ? <None /> : <span lang="en">{last_error}</span>,
  },
]

const ranks: Readonly<Record<Status, number>> = { failed: 0, late: 1, running: 2, waiting: 3 }

/** Entries that need somebody come first, and the next one before later ones. */
const inOrder = (one: BackgroundTask, other: BackgroundTask): number =>
  ranks[one.status] - ranks[other.status] || one.due_at.localeCompare(other.due_at)

/** Undefined while something is late, or may be on a page that was not read yet. */
function calmText(items: readonly BackgroundTask[]): string | undefined {
  const isCalm = items.every(({ status }) => status === 'waiting' || status === 'running')
  return isCalm && items.length > 0 ? t('Routine work that repeats. Nothing is late.') : undefined
}

export default function TaskList() {
  const [{ status = '' }, change] = useSearchState<{ status: Status }>()
  const query = { limit: 100, ...(status !== '' && { status }) }
  const list = useList('listInstallationTasks', { query }, { refetchInterval: REFRESH_MS })
  const items = list.items?.toSorted(inOrder)
  const calm = status === '' && !list.hasNextPage ? calmText(items ?? []) : undefined
  return (
    <ListPage
      title={t('Background work')}
      columns={columns}
      list={{ ...list, items }}
      keyOf={({ number }) => String(number)}
      head={
        <Stack tight>
          {calm !== undefined && <Muted>{calm}</Muted>}
          <StatusSelect options={options} value={status} onChange={change} />
        </Stack>
      }
      empty={{
        title: t('Nothing of this kind'),
        text: t('Tasks that were given up stay for 14 days, with the error of the last attempt.'),
      }}
    />
  )
}
