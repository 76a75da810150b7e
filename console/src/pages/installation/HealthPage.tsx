/** The health of the service: what is wrong, what waits, what ends, and what to do next. */
import type { InstallationHealth, ServiceStatus } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Cards, Columns, Facts, Item, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { inWords, Time } from '../../kit/Text.tsx'

const REFRESH_MS = 10_000
const GIB = 2 ** 30

const bytesText = (bytes: number | null): string =>
  bytes === null ? 'unknown' : `${(bytes / GIB).toFixed(bytes < GIB ? 2 : 1)} GiB`

const counted = (count: number | null): string => (count === null ? 'unknown' : numberText(count))

const Findings = ({ health: { findings, status } }: { health: InstallationHealth }) => (
  <Panel title="What to do">
    {status.problems.map((problem) => (
      <Item key={problem} mark={<Badge tone="bad">not ready</Badge>} title={problem}>
        Requests are refused now.
      </Item>
    ))}
    {findings.map(({ level, text, advice }) => (
      <Item
        key={text}
        mark={<Badge tone={level === 'problem' ? 'bad' : 'warn'}>{level}</Badge>}
        title={text}
      >
        {advice}
      </Item>
    ))}
    {findings.length === 0 && status.problems.length === 0 && (
      <Empty title="Nothing needs attention">
        The service answers, nothing waits for long, and nothing ends soon.
      </Empty>
    )}
  </Panel>
)

interface Of {
  status: ServiceStatus
}

const Waiting = ({ status: { backlog, mqtt, database } }: Of) => (
  <Cards>
    <Stat label="MQTT sessions" value={mqtt.sessions} />
    <Stat
      label="Tasks late"
      value={backlog.tasks.late}
      note={`${backlog.tasks.running} running, ${backlog.tasks.failed} given up`}
      link={{ to: '/installation/tasks' }}
    />
    <Stat
      label="Mails waiting"
      value={counted(backlog.mails)}
      link={{ to: '/installation/mails' }}
    />
    <Stat
      label="Webhook deliveries waiting"
      value={backlog.webhook_deliveries}
      note={`${Math.round(backlog.webhook_lag_s)} s behind`}
    />
    <Stat label="Audit entries waiting" value={counted(backlog.audit_entries)} />
    <Stat
      label="Database connections"
      value={database.connections.busy}
      note={`${database.connections.idle} idle, ${database.connections.waiting} callers wait`}
    />
  </Cards>
)

const About = ({ status }: Of) => (
  <Panel title="Service">
    <Facts
      facts={[
        ['Version', status.version],
        ['Started', <Time key="since" at={status.started_at} />],
        [
          'Certificate',
          status.certificates.listener_ends_at === null ? (
            'none: plain HTTP'
          ) : (
            <>
              ends <Time at={status.certificates.listener_ends_at} />
            </>
          ),
        ],
        [
          'Domains',
          `${counted(status.certificates.domains_ending)} certificates end within ${status.certificates.within_days} days`,
        ],
        ['Data folder', <code key="folder">{status.disk.folder}</code>],
        ['Free', bytesText(status.disk.free_bytes)],
        [
          'Restored',
          status.restored_backup === null ? undefined : (
            <>
              <Time at={status.restored_backup.restored_at} />, from a backup of{' '}
              <Time at={status.restored_backup.backup_at} />
            </>
          ),
        ],
      ]}
    />
  </Panel>
)

const Database = ({ status: { database } }: Of) => (
  <Panel title="Database">
    <Facts
      facts={[
        ['State', database.problem ?? 'responds'],
        ['Postgres', database.version ?? 'unknown'],
        ['Where', database.is_embedded ? 'embedded in the service' : 'a server of your own'],
        ['Size', bytesText(database.bytes)],
        ['Clock', `${inWords(Math.abs(database.clock_offset_s) * 1000)} apart`],
        ['Restarts', database.is_embedded ? String(database.restarts) : undefined],
      ]}
    />
  </Panel>
)

const columns: readonly Column<ServiceStatus['last_errors'][number]>[] = [
  { name: 'When', cell: ({ time }) => <Time at={time} /> },
  {
    name: 'Level',
    cell: ({ level }) => <Badge tone={level === 'error' ? 'bad' : 'warn'}>{level}</Badge>,
  },
  { name: 'What', wraps: true, cell: ({ message }) => message },
  { name: 'Why', breaks: true, cell: ({ error }) => error ?? '–' },
]

const Lines = ({ status: { last_errors: lines } }: Of) => (
  <Panel title="Last lines of the log" flush>
    <Table
      label="Last lines of the log"
      columns={columns}
      list={wholeList(lines.toReversed())}
      keyOf={({ time, message }) => `${time} ${message}`}
      empty={<Empty title="No warnings and no errors">Since this process has started.</Empty>}
    />
  </Panel>
)

export default function HealthPage() {
  const query = useRead('getInstallationHealth', {}, { refetchInterval: REFRESH_MS })
  const { data: health } = query
  if (health === undefined) return <PendingPage title="Health" trail={[]} query={query} />
  const { status } = health
  const isReady = status.problems.length === 0
  return (
    <Page
      title="Health"
      note={<Badge tone={isReady ? 'ok' : 'bad'}>{isReady ? 'ready' : 'not ready'}</Badge>}
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
