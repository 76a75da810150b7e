/** The brokers of the service, and checks of their security. */
import { useNavigate } from '@tanstack/react-router'
import { Stethoscope } from 'lucide-react'
import { useState } from 'react'
import type { BrokerState, DoctorRunSummary } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { useButtonCall } from '../../kit/ApiPane.tsx'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Muted, None, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, listOf, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { brokerName, EMBEDDED, productOf } from '../../session/broker-names.ts'
import { t } from './translations.ts'

const REFRESH_MS = 5_000

const Bridge = ({ bridge }: Pick<BrokerState, 'bridge'>) => {
  if (bridge === null) return <Muted>{t('none')}</Muted>
  return bridge === 'connected' ? (
    <Badge tone="ok">{t('connected')}</Badge>
  ) : (
    <Badge tone="bad">
      <span lang="en">{bridge}</span>
    </Badge>
  )
}

const WHAT = t(
  'A security check connects as an attacker would, with test devices of its own, and names the setting that closes each hole. It takes a minute or two.',
)

function Check({ broker }: { broker: string }) {
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const start = useChange('startDoctorRun', ['listDoctorRuns'])
  const input = { body: { broker } }
  const preview = useButtonCall('startDoctorRun', input)
  return (
    <>
      <Button
        icon={<Stethoscope size={15} />}
        title={t('Security check of {broker}', { broker: brokerName(broker) })}
        onClick={() => setAsking(true)}
        {...preview}
      >
        {t('Security check…')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('Check the security of {broker}?', { broker: brokerName(broker) })}
          act={t('Start')}
          kind="primary"
          busy={start.isPending}
          problem={start.error}
          onConfirm={() =>
            start.mutate(input, {
              onSuccess: ({ id }) => void navigate({ to: `/installation/doctor-runs/${id}` }),
            })
          }
          onClose={() => setAsking(false)}
        >
          {WHAT}
        </ConfirmDialog>
      )}
    </>
  )
}

const columns: readonly Column<BrokerState>[] = [
  {
    name: t('Name'),
    cell: ({ name, kind }) => (
      <>
        {name === EMBEDDED ? brokerName(name) : <code>{name}</code>}{' '}
        {kind !== name && <Badge plain>{productOf(kind)}</Badge>}
      </>
    ),
  },
  {
    name: t('Addresses'),
    breaks: true,
    cell: ({ urls }) => (urls.length === 0 ? <Muted>{t('none')}</Muted> : urls.join(' ')),
  },
  {
    name: t('A revocation takes effect'),
    cell: ({ revoke_bound_s: seconds }) =>
      seconds === null ? (
        <Muted>{t('not proven')}</Muted>
      ) : (
        t('within {n} s', { n: numberText(seconds) })
      ),
  },
  { name: t('Bridge'), wraps: true, cell: Bridge },
  { name: t('Acts'), hidesName: true, stays: true, cell: ({ name }) => <Check broker={name} /> },
]

const tones: Readonly<Record<DoctorRunSummary['status'], BadgeTone>> = {
  queued: 'info',
  running: 'info',
  completed: 'ok',
  failed: 'bad',
}

const statusNames: Readonly<Record<DoctorRunSummary['status'], string>> = {
  queued: t('queued'),
  running: t('running'),
  completed: t('completed'),
  failed: t('failed'),
}

export const RunStatus = ({ status }: Pick<DoctorRunSummary, 'status'>) => (
  <Badge tone={tones[status]}>{statusNames[status]}</Badge>
)

const holesText = ({ status, holes }: DoctorRunSummary): string => {
  if (status !== 'completed') return '–'
  return holes === 0 ? t('none') : String(holes)
}

const runColumns: readonly Column<DoctorRunSummary>[] = [
  { name: t('Started'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Broker'), cell: ({ broker }) => brokerName(broker) },
  { name: t('Status'), cell: RunStatus },
  { name: t('Security holes'), number: true, cell: holesText },
  {
    name: t('Where'),
    breaks: true,
    cell: ({ address, problem }) =>
      [address, problem].filter((each) => each !== null).join(' – ') || <None />,
  },
  {
    name: t('Acts'),
    hidesName: true,
    stays: true,
    cell: ({ id }) => (
      <LinkButton kind="quiet" to={`/installation/doctor-runs/${id}`}>
        {t('Result')}
      </LinkButton>
    ),
  },
]

export default function BrokersPage() {
  const live = { refetchInterval: REFRESH_MS }
  const brokers = useRead('listInstallationBrokers', {}, live)
  const runs = useList('listDoctorRuns', { query: { limit: 20 } }, live)
  return (
    <Page title={t('Brokers')}>
      <Stack>
        <Panel title={t('Brokers')} flush>
          <Table
            label={t('Brokers')}
            columns={columns}
            list={listOf(brokers)}
            keyOf={({ name }) => name}
            empty={
              <Empty title={t('No broker')}>
                {t('The embedded broker is off, and MOORING_BROKERS_FILE names no other.')}
              </Empty>
            }
          />
        </Panel>
        <Panel title={t('Security checks')} aside={<Small>{WHAT}</Small>} flush>
          <Table
            label={t('Security checks')}
            columns={runColumns}
            list={runs}
            keyOf={({ id }) => id}
            empty={
              <Empty title={t('Not checked yet')} command="mooring doctor embedded">
                {t('Start one with Security check… above; the command does the same.')}
              </Empty>
            }
          />
        </Panel>
      </Stack>
    </Page>
  )
}
