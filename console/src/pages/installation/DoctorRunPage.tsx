/** A security check of a broker: each probe with what it saw, as they come. */
import { useParams } from '@tanstack/react-router'
import type { DoctorRun } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Announced, Empty, Note } from '../../kit/Note.tsx'
import { Facts, None, Panel, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Said, Time } from '../../kit/Text.tsx'
import { brokerName } from '../../session/broker-names.ts'
import { RunStatus } from './BrokersPage.tsx'
import { counted, t } from './translations.ts'

type Result = DoctorRun['results'][number]

const REFRESH_MS = 2_000
const trail = [{ label: t('Brokers'), to: '/installation/brokers' }]

const tones: Readonly<Record<Result['verdict'], BadgeTone>> = {
  pass: 'ok',
  fail: 'bad',
  warn: 'warn',
  skip: 'off',
}

const verdictNames: Readonly<Record<Result['verdict'], string>> = {
  pass: t('passed'),
  fail: t('failed'),
  warn: t('warning'),
  skip: t('skipped'),
}

const columns: readonly Column<Result>[] = [
  {
    name: t('Result'),
    cell: ({ verdict }) => <Badge tone={tones[verdict]}>{verdictNames[verdict]}</Badge>,
  },
  {
    name: t('Requirement'),
    wraps: true,
    heads: true,
    cell: ({ title }) => <span lang="en">{title}</span>,
  },
  { name: t('Observed'), wraps: true, cell: ({ saw }) => <Said>{saw}</Said> },
  {
    name: t('To change'),
    wraps: true,
    cell: ({ change }) => (change === null ? <None /> : <Said>{change}</Said>),
  },
]

function Outcome({ run: { status, problem, results } }: { run: DoctorRun }) {
  const holes = results.filter(({ verdict }) => verdict === 'fail').length
  if (status === 'failed') {
    return (
      <Note tone="bad" title={t('The broker could not be checked')}>
        <span lang="en">{problem}</span>
      </Note>
    )
  }
  if (status !== 'completed') {
    return (
      <Note title={counted(results.length, '{n} check so far', '{n} checks so far')}>
        {t('This page updates as the check runs.')}
      </Note>
    )
  }
  return holes === 0 ? (
    <Note tone="ok" title={t('No security hole found')} />
  ) : (
    <Note tone="bad" title={counted(holes, 'One security hole', '{n} security holes')}>
      {t('The list says which setting closes each.')}
    </Note>
  )
}

export default function DoctorRunPage() {
  const { runId: run_id = '' } = useParams({ strict: false }) as { runId?: string }
  const query = useRead('getDoctorRun', { params: { run_id } }, { refetchInterval: REFRESH_MS })
  const { data: run } = query
  if (run === undefined) {
    return (
      <PendingPage
        title={t('Security check')}
        of={t('The security check')}
        trail={trail}
        query={query}
      />
    )
  }
  return (
    <Page
      title={t('Security check of {broker}', { broker: brokerName(run.broker) })}
      trail={trail}
      note={<RunStatus status={run.status} />}
    >
      <Stack>
        <Announced>
          <Outcome run={run} />
        </Announced>
        <Panel title={t('Checks')} flush>
          <Table
            label={t('Checks')}
            columns={columns}
            list={wholeList(run.results)}
            keyOf={({ id }) => id}
            empty={
              <Empty title={t('No check has ended yet')}>
                {t('The first one takes a few seconds.')}
              </Empty>
            }
          />
        </Panel>
        <Panel title={t('Details')}>
          <Facts
            facts={[
              [t('Broker'), run.address ?? brokerName(run.broker)],
              [t('Started'), <Time key="at" at={run.created_at} />],
              [
                t('Ended'),
                run.ended_at === null ? undefined : <Time key="end" at={run.ended_at} />,
              ],
            ]}
          />
        </Panel>
      </Stack>
    </Page>
  )
}
