/** The health of the service: what is wrong, what waits, what ends, and what to do next. */
import type { InstallationHealth, ServiceStatus } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Cards, Columns, Facts, Item, Items, None, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { locale } from '../../words/language.ts'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { inWords, Time } from '../../kit/Text.tsx'
import { rich, t } from './words.ts'

const REFRESH_MS = 10_000
const GIB = 2 ** 30

function bytesText(bytes: number | null): string {
  if (bytes === null) return t('unknown')
  const digits = bytes < GIB ? 2 : 1
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${(bytes / GIB).toLocaleString(locale, format)} GiB`
}

const countText = (count: number | null): string =>
  count === null ? t('unknown') : numberText(count)

const levelNames: Readonly<Record<InstallationHealth['findings'][number]['level'], string>> = {
  problem: t('problem'),
  warning: t('warning'),
}

const Findings = ({ health: { findings } }: { health: InstallationHealth }) => (
  <Panel title={t('What to do')}>
    <Items>
      {findings.map(({ level, text, advice }) => (
        <Item
          key={text}
          mark={<Badge tone={level === 'problem' ? 'bad' : 'warn'}>{levelNames[level]}</Badge>}
          title={<span lang="en">{text}</span>}
        >
          <span lang="en">{advice}</span>
        </Item>
      ))}
    </Items>
    {findings.length === 0 && (
      <Empty title={t('All checks pass')}>
        {t(
          'Database, brokers, disk, certificates and queues are within their limits, as far as they could be measured. What is waiting and the latest warnings are below.',
        )}
      </Empty>
    )}
  </Panel>
)

interface Of {
  status: ServiceStatus
}

/** Mails that wait for no attempt, but for an operator. */
function unsentText({ mails_kept, mails_failed }: ServiceStatus['backlog']): string | undefined {
  if (!mails_kept && !mails_failed) return undefined
  const kept = countText(mails_kept)
  return t('{kept} without a mail server, {failed} given up', {
    kept,
    failed: countText(mails_failed),
  })
}

/** Failed deliveries wait longer: this is of events that nothing was tried for yet. */
const lagText = (seconds: number): string =>
  seconds < 1
    ? t('new events are sent at once')
    : t('new events wait for {time}', { time: inWords(seconds * 1000) })

const Waiting = ({ status: { backlog, mqtt, database } }: Of) => (
  <Cards>
    <Stat label={t('MQTT sessions')} value={mqtt.sessions} />
    <Stat
      label={t('Late tasks')}
      value={backlog.tasks.late}
      note={t('{running} running, {failed} given up', backlog.tasks)}
      link={{ to: '/installation/tasks' }}
    />
    <Stat
      label={t('E-mails waiting')}
      value={countText(backlog.mails)}
      note={unsentText(backlog)}
      link={{ to: '/installation/mails' }}
    />
    <Stat
      label={t('Webhook deliveries waiting')}
      value={backlog.webhook_deliveries}
      note={lagText(backlog.webhook_lag_s)}
    />
    <Stat label={t('Audit entries waiting')} value={countText(backlog.audit_entries)} />
    <Stat
      label={t('Database connections')}
      value={database.connections.busy}
      note={t('{idle} idle, {waiting} waiting', database.connections)}
    />
  </Cards>
)

const About = ({ status }: Of) => (
  <Panel title={t('Service')}>
    <Facts
      facts={[
        [t('Version'), status.version],
        [t('Started'), <Time key="since" at={status.started_at} />],
        [
          t('Certificate'),
          status.certificates.listener_ends_at === null
            ? t('none (plain HTTP)')
            : rich('expires {time}', { time: <Time at={status.certificates.listener_ends_at} /> }),
        ],
        [
          t('Domains'),
          t('{n} certificates expire within {days} days', {
            n: countText(status.certificates.domains_ending),
            days: status.certificates.within_days,
          }),
        ],
        [t('Data folder'), <code key="folder">{status.disk.folder}</code>],
        [t('Free'), bytesText(status.disk.free_bytes)],
        [
          t('Restored'),
          status.restored_backup === null
            ? undefined
            : rich('{time}, from a backup of {backup}', {
                time: <Time at={status.restored_backup.restored_at} />,
                backup: <Time at={status.restored_backup.backup_at} />,
              }),
        ],
      ]}
    />
  </Panel>
)

const Database = ({ status: { database } }: Of) => (
  <Panel title={t('Database')}>
    <Facts
      facts={[
        [
          t('State'),
          database.problem === null ? (
            t('responds')
          ) : (
            <span key="problem" lang="en">
              {database.problem}
            </span>
          ),
        ],
        ['Postgres', database.version ?? t('unknown')],
        [t('Where'), database.is_embedded ? t('embedded in the service') : t('your own server')],
        [t('Size'), bytesText(database.bytes)],
        [t('Clock'), t('{time} off', { time: inWords(Math.abs(database.clock_offset_s) * 1000) })],
        [t('Restarts'), database.is_embedded ? String(database.restarts) : undefined],
      ]}
    />
  </Panel>
)

type Line = ServiceStatus['last_errors'][number]

const lineLevels: Readonly<Record<Line['level'], string>> = {
  error: t('error'),
  warn: t('warning'),
}

const columns: readonly Column<Line>[] = [
  { name: t('When'), cell: ({ time }) => <Time at={time} /> },
  {
    name: t('Level'),
    cell: ({ level }) => (
      <Badge tone={level === 'error' ? 'bad' : 'warn'}>{lineLevels[level]}</Badge>
    ),
  },
  {
    name: t('What'),
    wraps: true,
    cell: ({ message, times }) => (
      <>
        <span lang="en">{message}</span>
        {times > 1 && ` ×${times}`}
      </>
    ),
  },
  {
    name: t('Why'),
    breaks: true,
    cell: ({ error }) => (error === null ? <None /> : <span lang="en">{error}</span>),
  },
]

const Lines = ({ status: { last_errors: lines } }: Of) => (
  <Panel title={t('Latest warnings and errors')} flush>
    <Table
      label={t('Latest warnings and errors')}
      columns={columns}
      list={wholeList(lines.toReversed())}
      keyOf={({ time, message }) => `${time} ${message}`}
      empty={
        <Empty title={t('No warnings and no errors')}>{t('Since this process started.')}</Empty>
      }
    />
  </Panel>
)

export default function HealthPage() {
  const query = useRead('getInstallationHealth', {}, { refetchInterval: REFRESH_MS })
  const { data: health } = query
  if (health === undefined) return <PendingPage title={t('Health')} trail={[]} query={query} />
  const { status } = health
  const isReady = status.problems.length === 0
  return (
    <Page
      title={t('Health')}
      note={<Badge tone={isReady ? 'ok' : 'bad'}>{isReady ? t('ready') : t('not ready')}</Badge>}
    >
      <Stack>
        <Findings health={health} />
        <Waiting status={status} />
        <Columns>
          <About status={status} />
          <Database status={status} />
        </Columns>
        <Lines status={status} />
      </Stack>
    </Page>
  )
}
