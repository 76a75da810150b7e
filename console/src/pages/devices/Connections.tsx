/** The connection attempts of a device, each in words. */
import { useSyncExternalStore } from 'react'
import type { ConnectionAttempt, Device } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { onTick, presentTime } from '../../kit/clock.ts'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Announced, Empty, Note } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { exactTime, Time, Token } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked } from '../../session/workspace.tsx'
import { ofDevice, type SectionProps, useHasPassword } from './of-device.ts'
import {
  type Explained,
  explainAttempt,
  explainDevice,
  explainDuration,
  explainRun,
} from './reasons.ts'
import { foldAttempts, recentReplacements, type Shown } from './replaced.ts'
import { rich, t } from './translations.ts'

export const useAttempts = ({ device }: Pick<SectionProps, 'device'>) =>
  useRead('getConnectionLog', { params: ofDevice(device) }, { isLive: true })

/** One attempt, or sessions that replaced each other. */
type Row = Shown<ConnectionAttempt>

function Result({ row, device }: { row: Row; device: Device }) {
  const { entry: attempt, run } = row
  if (run.length > 1) {
    const n = numberText(run.length)
    return <Badge tone="warn">{t('Connected and replaced {n} times', { n })}</Badge>
  }
  const { what } = explainAttempt(attempt, device)
  const times = attempt.attempts > 1 ? ` ×${numberText(attempt.attempts)}` : ''
  const tone = attempt.accepted ? (attempt.session === 'open' ? 'ok' : 'off') : 'bad'
  return (
    <Badge tone={tone}>
      {what}
      {times}
    </Badge>
  )
}

function lasting({ entry: attempt, run }: Row, device: Device): string {
  if (run.length > 1) return explainRun(attempt)
  if (attempt.accepted) return explainDuration(attempt)
  return explainAttempt(attempt, device).todo ?? ''
}

/** Programs that replace each other may do so from different addresses. */
function From({ entry: { protocol }, run }: Row) {
  const addresses = [...new Set(run.map(({ address }) => address))]
  const isOne = run.every((each) => each.protocol === protocol)
  return (
    <>
      <code>{addresses.join(', ')}</code>{' '}
      {isOne && protocol !== null && <Small>{`MQTT\u00a0${protocol}`}</Small>}
    </>
  )
}

/** Refusals that are counted together may be of different client ids. */
function ClientId({ entry: { client_id, attempts } }: Row) {
  const client = <code>{client_id}</code>
  return attempts > 1 ? rich('last as {client}', { client }) : client
}

const CLIENT_ID = 'client_id'

const columnsOf = (device: Device): readonly Column<Row>[] => [
  { name: t('When'), cell: ({ entry }) => <Time at={entry.last_at} /> },
  {
    name: t('Result'),
    heads: true,
    cell: (row) => <Result row={row} device={device} />,
  },
  {
    name: t('Details'),
    nameIn: ({ entry, run }) =>
      entry.accepted && run.length === 1 ? t('Duration') : t('What to do'),
    wraps: true,
    cell: (each) => <Small>{lasting(each, device)}</Small>,
  },
  {
    name: t('From'),
    breaks: true,
    cell: From,
  },
  {
    id: CLIENT_ID,
    name: t('Client id'),
    breaks: true,
    cell: ClientId,
  },
]

interface WhyProps extends Explained {
  device: Device
  hasPassword: boolean | undefined
}

/** Its badge says that already: an unknown state has no frame. */
function Connected({ what, session }: Pick<Explained, 'what' | 'session'>) {
  if (session === undefined) return <p>{what}</p>
  return (
    <p>
      {rich('Connected since {time}, from {address} as {client}.', {
        time: exactTime(session.at),
        address: <code>{session.address}</code>,
        client: <Token>{session.client_id}</Token>,
      })}
    </p>
  )
}

function Why({ what, todo, act, session, device, hasPassword }: WhyProps) {
  const [, change] = useSearchState<{ act: string }>()
  const blocked = useBlocked('resetDeviceCredentials')
  if (device.connected && todo === undefined) return <Connected what={what} session={session} />
  return (
    <Note
      tone={todo === undefined ? 'info' : 'warn'}
      title={what}
      action={
        act && (
          <Button blocked={blocked} onClick={() => change({ act })}>
            {hasPassword === false ? t('Create credentials…') : t('Reset credentials…')}
          </Button>
        )
      }
    >
      {todo}
    </Note>
  )
}

/** A warning ends soon after its cause has, even if nothing else happens then. */
const useEndOfReplacing = (attempts: readonly ConnectionAttempt[] = []) =>
  useSyncExternalStore(onTick, () => recentReplacements(attempts, presentTime())?.isOver)

/** Why the device is or is not connected, in one sentence and what to do. */
export function WhyConnected({ device }: Pick<SectionProps, 'device'>) {
  const { data } = useAttempts({ device })
  const hasPassword = useHasPassword(device)
  useEndOfReplacing(data?.items)
  const explained = explainDevice(device, data?.items, hasPassword)
  return (
    <Announced>
      {explained && <Why {...explained} device={device} hasPassword={hasPassword} />}
    </Announced>
  )
}

/** @param limit how many rows are shown; all by default */
export function Attempts({ device, limit }: Pick<SectionProps, 'device'> & { limit?: number }) {
  const query = useAttempts({ device })
  const list = listOf(query)
  const shown = { ...list, items: list.items && foldAttempts(list.items).slice(0, limit) }
  // In a narrow place, what to do comes before which client id it was.
  const columns = columnsOf(device).filter(
    ({ id: column }) => limit === undefined || column !== CLIENT_ID,
  )
  return (
    <Table
      label={t('Connection attempts')}
      columns={columns}
      list={shown}
      keyOf={({ entry: { at, client_id, address } }) => `${at} ${client_id} ${address}`}
      empty={
        <Empty title={t('No attempt yet')}>
          {t('Each attempt to connect appears here, accepted or refused, with its reason.')}
        </Empty>
      }
    />
  )
}

export const Connections = ({ device }: SectionProps) => (
  <Stack>
    <WhyConnected device={device} />
    <Panel title={t('Attempts, newest first')} flush>
      <Attempts device={device} />
    </Panel>
  </Stack>
)
