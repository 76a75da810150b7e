/** An examination of a broker: each probe with what it saw, as they come. */
import { useParams } from '@tanstack/react-router'
import type { DoctorRun } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Announced, Empty, Note } from '../../kit/Note.tsx'
import { Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { RunStatus } from './BrokersPage.tsx'

type Result = DoctorRun['results'][number]

const REFRESH_MS = 2_000
const trail = [{ label: 'Brokers', to: '/installation/brokers' }]

const tones: Readonly<Record<Result['verdict'], BadgeTone>> = {
  pass: 'ok',
  fail: 'bad',
  warn: 'warn',
  skip: 'off',
}

const columns: readonly Column<Result>[] = [
  { name: 'Result', cell: ({ verdict }) => <Badge tone={tones[verdict]}>{verdict}</Badge> },
  { name: 'A secure broker', wraps: true, cell: ({ title }) => title },
  { name: 'Seen', wraps: true, cell: ({ saw }) => saw },
  { name: 'To change', wraps: true, cell: ({ change }) => change ?? '–' },
]

function Outcome({ run: { status, problem, results } }: { run: DoctorRun }) {
  const holes = results.filter(({ verdict }) => verdict === 'fail').length
  if (status === 'failed') {
    return (
      <Note tone="bad" title="It could not be examined">
        {problem}
      </Note>
    )
  }
  if (status !== 'completed') {
    return <Note title={`${results.length} probes so far`}>The page follows the examination.</Note>
  }
  return holes === 0 ? (
    <Note tone="ok" title="No hole was found" />
  ) : (
    <Note tone="bad" title={holes === 1 ? 'One hole' : `${holes} holes`}>
      Each says below which setting closes it.
    </Note>
  )
}

export default function DoctorRunPage() {
  const { runId: run_id = '' } = useParams({ strict: false }) as { runId?: string }
  const query = useRead('getDoctorRun', { params: { run_id } }, { refetchInterval: REFRESH_MS })
  const { data: run } = query
  if (run === undefined) return <PendingPage title="Examination" trail={trail} query={query} />
  return (
    <Page
      title={`Examination of ${run.broker}`}
      trail={trail}
      note={<RunStatus status={run.status} />}
    >
      <Stack>
        <Announced>
          <Outcome run={run} />
        </Announced>
        <Panel title="Probes" flush>
          <Table
            label="Probes"
            columns={columns}
            list={wholeList(run.results)}
            keyOf={({ id }) => id}
            empty={<Empty title="No probe has ended yet">The first one takes a few seconds.</Empty>}
          />
        </Panel>
        <Panel title="About it">
          <Facts
            facts={[
              ['Broker', run.address ?? run.broker],
              ['Started', <Time key="at" at={run.created_at} />],
              ['Ended', run.ended_at === null ? undefined : <Time key="end" at={run.ended_at} />],
            ]}
          />
        </Panel>
      </Stack>
    </Page>
  )
}
