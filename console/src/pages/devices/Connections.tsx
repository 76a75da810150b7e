/** The connection attempts of a device, each in words. */
import type { ConnectionAttempt } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { inWords, Time } from '../../kit/Text.tsx'
import { ofDevice, type SectionProps } from './DevicePage.tsx'
import { explainAttempt, explainDevice, explainEnd } from './reasons.ts'

const LIVE_MS = 3_000

export const useAttempts = ({ device }: Pick<SectionProps, 'device'>) =>
  useRead('getConnectionLog', { params: ofDevice(device) }, { refetchInterval: LIVE_MS })

function Result({ attempt }: { attempt: ConnectionAttempt }) {
  const { what } = explainAttempt(attempt)
  const times = attempt.attempts > 1 ? ` ×${attempt.attempts}` : ''
  const tone = attempt.accepted ? (attempt.ended_at === null ? 'ok' : 'off') : 'bad'
  return (
    <Badge tone={tone}>
      {what}
      {times}
    </Badge>
  )
}

function lasting(attempt: ConnectionAttempt): string {
  if (!attempt.accepted) return explainAttempt(attempt).todo ?? ''
  const { at, duration_s } = attempt
  if (duration_s === null) return `${inWords(Date.now() - Date.parse(at))}, still`
  return `${inWords(duration_s * 1000)}; ${explainEnd(attempt)}`
}

const columns: readonly Column<ConnectionAttempt>[] = [
  { name: 'When', cell: ({ last_at }) => <Time at={last_at} /> },
  { name: 'Result', cell: (attempt) => <Result attempt={attempt} /> },
  {
    name: 'From',
    cell: ({ address, protocol }) => (
      <code>
        {address} {protocol !== null && `· MQTT ${protocol}`}
      </code>
    ),
  },
  { name: 'Client id', cell: ({ client_id }) => <code>{client_id}</code> },
  { name: 'Lasted, or what to do', wraps: true, cell: (each) => <Small>{lasting(each)}</Small> },
]

/** Why the device is or is not connected, in one sentence and what to do. */
export function WhyConnected({ device }: Pick<SectionProps, 'device'>) {
  const { data } = useAttempts({ device })
  const { what, todo } = explainDevice(device, data?.items[0])
  return (
    <Note tone={device.connected ? 'ok' : todo === undefined ? 'info' : 'warn'} title={what}>
      {todo}
    </Note>
  )
}

/** @param limit how many of the attempts are shown; all by default */
export function Attempts({ device, limit }: Pick<SectionProps, 'device'> & { limit?: number }) {
  const query = useAttempts({ device })
  const list = {
    items: query.data?.items.slice(0, limit),
    error: query.error,
    hasNextPage: false,
    isFetchingNextPage: false,
    fetchNextPage: () => undefined,
    refetch: query.refetch,
  }
  return (
    <Table
      label="Connection attempts"
      columns={columns}
      list={list}
      keyOf={({ at, client_id, address }) => `${at} ${client_id} ${address}`}
      empty={
        <Empty title="No attempt yet">
          Each attempt to connect appears here, accepted or refused, with its reason.
        </Empty>
      }
    />
  )
}

export const Connections = ({ device }: SectionProps) => (
  <Stack>
    <WhyConnected device={device} />
    <Panel title="Attempts, newest first" flush>
      <Attempts device={device} />
    </Panel>
  </Stack>
)
