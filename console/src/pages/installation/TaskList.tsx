/** Background work: what runs, waits, is late or was given up. */
import type { BackgroundTask } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Select } from '../../kit/Field.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { numberText } from '../../kit/numbers.ts'
import type { Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'

type Status = BackgroundTask['status']

const REFRESH_MS = 10_000

const tones: Readonly<Record<Status, BadgeTone>> = {
  running: 'info',
  waiting: 'off',
  late: 'warn',
  failed: 'bad',
}

const options: readonly { value: Status | ''; label: string }[] = [
  { value: '', label: 'All' },
  { value: 'failed', label: 'Given up' },
  { value: 'late', label: 'Late' },
  { value: 'running', label: 'Running' },
  { value: 'waiting', label: 'Waiting' },
]

const columns: readonly Column<BackgroundTask>[] = [
  { name: 'Number', number: true, cell: ({ number }) => numberText(number) },
  { name: 'Task', breaks: true, cell: ({ task }) => <code>{task}</code> },
  { name: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { name: 'Due', cell: ({ due_at }) => <Time at={due_at} /> },
  {
    name: 'Attempts',
    number: true,
    cell: ({ attempts, max_attempts }) => `${attempts} of ${max_attempts}`,
  },
  { name: 'Last error', breaks: true, cell: ({ last_error }) => last_error ?? '–' },
]

export default function TaskList() {
  const [{ status = '' }, change] = useSearchState<{ status: Status }>()
  const query = { limit: 100, ...(status !== '' && { status }) }
  return (
    <ListPage
      title="Background work"
      columns={columns}
      list={useList('listInstallationTasks', { query }, { refetchInterval: REFRESH_MS })}
      keyOf={({ number }) => String(number)}
      head={
        <Select
          label="Status"
          options={options}
          value={status}
          onValue={(next) => change({ status: next === '' ? undefined : next })}
        />
      }
      empty={{
        title: 'Nothing of this kind',
        text: 'Tasks that were given up stay for 14 days, with the error of the last attempt.',
      }}
    />
  )
}
