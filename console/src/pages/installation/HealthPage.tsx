/** The health of the service: faults, work that waits, expiry dates, and advice. */
import type { InstallationHealth, ServiceStatus } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { LinkButton } from '../../kit/Button.tsx'
import { Cards, Columns, Facts, Item, Items, Muted, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { language } from '../../i18n/language.ts'
import { byPattern } from '../../i18n/translate.ts'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { Code, Said, Time } from '../../kit/Text.tsx'
import { inWords } from '../../kit/times.ts'
import { bytesText } from '../usage/meter-labels.ts'
import { counted, rich, t } from './translations.ts'

const patterns = language === 'en' ? [] : (await import('./findings.de.ts')).findings

const REFRESH_MS = 10_000

const sizeText = (bytes: number | null): string =>
  bytes === null ? t('unknown') : bytesText(bytes)

const countText = (count: number | null): string =>
  count === null ? t('unknown') : numberText(count)

const levelNames: Readonly<Record<InstallationHealth['findings'][number]['level'], string>> = {
  problem: t('problem'),
  warning: t('warning'),
}

const pageActs: Readonly<Record<'brokers' | 'mails' | 'tasks', string>> = {
  brokers: t('Open Brokers'),
  mails: t('Open Mail'),
  tasks: t('Open Background work'),
}

/** The findings of the service, in the language of the console where that is known. */
function Found({ children }: { children: string }) {
  const translated = byPattern(patterns, children)
  // In a line of the log it follows a colon.
  const text = (translated ?? children).replace(/^\p{Ll}/u, (first) => first.toUpperCase())
  return <Said isTranslated={translated !== undefined}>{text}</Said>
}

/** The steps to take, with commands to be copied. */
const Advice = ({ text }: { text: string }) => (
  <Stack tight>
    <Found>{text}</Found>
    {[...text.matchAll(/`(mooring [^`]+)`/g)].map(([, command = '']) => (
      <Code key={command} label={t('Command')} wraps>
        {command}
      </Code>
    ))}
  </Stack>
)

/** To the page of the workspace, where there is only one that is meant. */
function WorkspaceLink({ slugs }: { slugs: readonly string[] }) {
  const [slug] = slugs.length === 1 ? slugs : []
  const query = { limit: 100, search: slug ?? '' }
  const { items } = useList(
    'listInstallationWorkspaces',
    { query },
    { enabled: slug !== undefined },
  )
  const found = items?.find((each) => each.slug === slug)
  const to = '/installation/workspaces'
  if (found === undefined) return <LinkButton to={to}>{t('Open All workspaces')}</LinkButton>
  return <LinkButton to={`${to}/${found.id}`}>{t('Open {name}', found)}</LinkButton>
}

interface FindingLinkProps {
  health: InstallationHealth
  page: InstallationHealth['findings'][number]['page']
}

function FindingLink({ health, page }: FindingLinkProps) {
  if (page === null) return null
  if (page === 'workspaces')
    return <WorkspaceLink slugs={health.status.backlog.webhooks_failing_in} />
  return <LinkButton to={`/installation/${page}`}>{pageActs[page]}</LinkButton>
}

const Findings = ({ health }: { health: InstallationHealth }) => (
  <Panel title={t('What to do')}>
    <Items>
      {health.findings.map(({ level, text, advice, page }) => (
        <Item
          key={text}
          mark={<Badge tone={level === 'problem' ? 'bad' : 'warn'}>{levelNames[level]}</Badge>}
          title={<Found>{text}</Found>}
          action={<FindingLink health={health} page={page} />}
        >
          <Advice text={advice} />
        </Item>
      ))}
    </Items>
    {health.findings.length === 0 && (
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

/** Mails that no server sends, before those being sent. */
function Mails({ status: { backlog } }: Of) {
  const { mails, mails_kept: kept, mails_failed: failed } = backlog
  const link = { to: '/installation/mails' }
  if (!kept && !failed) {
    return <Stat label={t('E-mails waiting')} value={countText(mails)} link={link} />
  }
  return (
    <Stat
      label={t('E-mails not sent')}
      value={(kept ?? 0) + (failed ?? 0)}
      note={t('{kept} without a mail server, {failed} given up', {
        kept: countText(kept),
        failed: countText(failed),
      })}
      link={link}
    />
  )
}

function deliveriesText({ backlog }: ServiceStatus): string {
  const { webhooks_failing: failing, webhook_deliveries: waiting } = backlog
  if (failing > 0) {
    const time = inWords(backlog.webhooks_failing_s * 1000)
    return failing === 1
      ? t('1 webhook failing for {time}', { time })
      : t('{n} webhooks failing, the first for {time}', { n: numberText(failing), time })
  }
  const lag = backlog.webhook_lag_s
  if (lag >= 1) return t('new events wait for {time}', { time: inWords(lag * 1000) })
  return waiting > 0 ? t('they are tried again') : t('new events are sent at once')
}

const Waiting = ({ status }: Of) => {
  const { backlog, mqtt, database } = status
  const { busy, idle, waiting } = database.connections
  return (
    <Cards>
      <Stat label={t('MQTT sessions')} value={mqtt.sessions} />
      <Stat
        label={t('Late tasks')}
        value={backlog.tasks.late}
        note={t('{running} running, {failed} given up', backlog.tasks)}
        link={{ to: '/installation/tasks' }}
      />
      <Mails status={status} />
      <Stat
        label={t('Webhook deliveries waiting')}
        value={backlog.webhook_deliveries}
        note={deliveriesText(status)}
        link={{ to: '/installation/workspaces' }}
      />
      <Stat label={t('Audit entries waiting')} value={countText(backlog.audit_entries)} />
      <Stat
        label={t('Database connections in use')}
        value={t('{n} of {total}', { n: numberText(busy), total: numberText(busy + idle) })}
        note={
          waiting === 0
            ? undefined
            : counted(waiting, '{n} caller waits for one', '{n} callers wait for one')
        }
      />
    </Cards>
  )
}

function endingText({ certificates }: ServiceStatus): string {
  const { domains_ending: ending, within_days: days } = certificates
  if (ending === 0) return t('No certificate expires within {days} days', { days })
  return ending === 1
    ? t('1 certificate expires within {days} days', { days })
    : t('{n} certificates expire within {days} days', { n: countText(ending), days })
}

function clockText({ clock_offset_s: offset }: ServiceStatus['database']): string {
  const away = Math.abs(offset)
  if (away < 1) return t('agrees with the service')
  return t('{time} off', { time: inWords(away * 1000) })
}

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
        [t('Domains'), endingText(status)],
        [t('Data folder'), <code key="folder">{status.disk.folder}</code>],
        [t('Free disk space'), sizeText(status.disk.free_bytes)],
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
        [t('Size'), sizeText(database.bytes)],
        [t('Clock'), clockText(database)],
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
    breaks: true,
    cell: ({ message, times, error }) => (
      <>
        <span lang="en">{message}</span>
        {times > 1 && ` ×${times}`}
        {error !== null && (
          <div lang="en">
            <Muted>{error}</Muted>
          </div>
        )}
      </>
    ),
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
  if (health === undefined)
    return (
      <PendingPage
        title={t('Health')}
        of={t('The health of the service')}
        trail={[]}
        query={query}
      />
    )
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
