/** The brokers of the service, and examinations of their security. */
import { useNavigate } from '@tanstack/react-router'
import { Stethoscope } from 'lucide-react'
import type { BrokerState, DoctorRunSummary } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { CellLink, type Column, listOf, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'

const REFRESH_MS = 5_000

const Bridge = ({ bridge }: Pick<BrokerState, 'bridge'>) => {
  if (bridge === null) return <Muted>none</Muted>
  return <Badge tone={bridge === 'connected' ? 'ok' : 'bad'}>{bridge}</Badge>
}

function Examine({ broker }: { broker: string }) {
  const navigate = useNavigate()
  const start = useChange('startDoctorRun', ['listDoctorRuns'])
  return (
    <>
      <Button
        icon={<Stethoscope size={15} />}
        busy={start.isPending}
        title={`Examine ${broker}`}
        onClick={() =>
          start.mutate(
            { body: { broker } },
            { onSuccess: ({ id }) => void navigate({ to: `/installation/doctor-runs/${id}` }) },
          )
        }
      >
        Examine
      </Button>
      {start.error !== null && <ProblemNote problem={start.error} />}
    </>
  )
}

const columns: readonly Column<BrokerState>[] = [
  { name: 'Name', cell: ({ name }) => <code>{name}</code> },
  { name: 'Kind', cell: ({ kind }) => <Badge plain>{kind}</Badge> },
  {
    name: 'Addresses',
    breaks: true,
    cell: ({ urls }) => (urls.length === 0 ? <Muted>none</Muted> : urls.join(' ')),
  },
  {
    name: 'A revocation takes',
    cell: ({ revoke_bound_s: seconds }) =>
      seconds === null ? <Muted>not shown</Muted> : `at most ${seconds} s`,
  },
  { name: 'Bridge', wraps: true, cell: Bridge },
  { name: 'Acts', hidesName: true, stays: true, cell: ({ name }) => <Examine broker={name} /> },
]

const tones: Readonly<Record<DoctorRunSummary['status'], BadgeTone>> = {
  queued: 'info',
  running: 'info',
  completed: 'ok',
  failed: 'bad',
}

export const RunStatus = ({ status }: Pick<DoctorRunSummary, 'status'>) => (
  <Badge tone={tones[status]}>{status}</Badge>
)

const holesText = ({ status, holes }: DoctorRunSummary): string => {
  if (status !== 'completed') return '–'
  return holes === 0 ? 'none' : String(holes)
}

const runColumns: readonly Column<DoctorRunSummary>[] = [
  {
    name: 'Started',
    cell: ({ id, created_at }) => (
      <CellLink to={`/installation/doctor-runs/${id}`}>
        <Time at={created_at} />
      </CellLink>
    ),
  },
  { name: 'Broker', cell: ({ broker }) => <code>{broker}</code> },
  { name: 'Status', cell: RunStatus },
  { name: 'Holes', number: true, cell: holesText },
  { name: 'Where', breaks: true, cell: ({ address, problem }) => address ?? problem ?? '–' },
]

export default function BrokersPage() {
  const live = { refetchInterval: REFRESH_MS }
  const brokers = useRead('listInstallationBrokers', {}, live)
  const runs = useList('listDoctorRuns', { query: { limit: 20 } }, live)
  return (
    <Page title="Brokers">
      <Stack>
        <Panel title="Brokers" flush>
          <Table
            label="Brokers"
            columns={columns}
            list={listOf(brokers)}
            keyOf={({ name }) => name}
            empty={
              <Empty title="No broker">
                The embedded one is off, and MOORING_BROKERS_FILE names no other.
              </Empty>
            }
          />
        </Panel>
        <Panel title="Examinations" flush>
          <Table
            label="Examinations"
            columns={runColumns}
            list={runs}
            keyOf={({ id }) => id}
            empty={
              <Empty title="Not examined yet" command="mooring doctor embedded">
                An examination connects like an attacker would, with devices of its own, and says
                which setting closes each hole. It takes a minute or two.
              </Empty>
            }
          />
        </Panel>
      </Stack>
    </Page>
  )
}
