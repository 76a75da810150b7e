/** Is the fleet well, and what needs attention? For a new workspace: the first steps. */
import { Link } from '@tanstack/react-router'
import type { AuditEntry, Overview as Counts } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { LinkButton } from '../../kit/Button.tsx'
import { Cards, Columns, Item, Muted, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { Empty, Note, Pending } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'

const LIVE_MS = 5_000
const SHOWN_ENTRIES = 12

const number = new Intl.NumberFormat()

/** `1,204`, or `10,000+`. */
export const countText = ({ value, is_lower_bound }: Counts['open_jobs']): string =>
  `${number.format(value)}${is_lower_bound ? '+' : ''}`

const share = ({ connected, total }: Counts['devices']): string | undefined =>
  total.value === 0 || total.is_lower_bound
    ? undefined
    : `${((100 * connected.value) / total.value).toFixed(1)} % of all`

const filterOf = (filter: string) => ({ filter }) as never

function Numbers({ counts }: { counts: Counts }) {
  const { slug } = useWorkspace()
  const { devices, open_jobs } = counts
  const to = below(slug, 'devices')
  return (
    <Cards>
      <Stat label="Devices" value={countText(devices.total)} link={{ to }} />
      <Stat
        label="Connected"
        value={countText(devices.connected)}
        note={share(devices)}
        link={{ to, search: filterOf('connected = true') }}
      />
      <Stat
        label="Suspended"
        value={countText(devices.suspended)}
        link={{ to, search: filterOf('status = suspended') }}
      />
      <Stat
        label="Await approval"
        value={countText(devices.awaiting_approval)}
        link={{ to: below(slug, 'approvals') }}
      />
      <Stat label="Open jobs" value={countText(open_jobs)} link={{ to: below(slug, 'jobs') }} />
    </Cards>
  )
}

interface Step {
  what: string
  why: string
  isDone: boolean
  to: string
  act: string
}

const stepsOf = ({ devices, device_templates, provision_keys }: Counts): Step[] => [
  {
    what: 'Describe a model',
    why: 'A template says what all devices of a model have in common: topics, rules, configuration.',
    isDone: device_templates.value > 0,
    to: 'templates',
    act: 'Make a template',
  },
  {
    what: 'Connect a device',
    why: 'It gets an identity and a password; code for it is shown, and the page waits for it.',
    isDone: devices.total.value > 0 && devices.registered.value < devices.total.value,
    to: 'devices/new',
    act: 'Connect a device',
  },
  {
    what: 'Give your factory a key',
    why: 'A line registers devices with a provision key, with limits of its own.',
    isDone: provision_keys.value > 0,
    to: 'keys',
    act: 'Make a provision key',
  },
]

/** The steps of a new workspace; each ticks itself when it has happened. */
function FirstSteps({ counts }: { counts: Counts }) {
  const { slug } = useWorkspace()
  const steps = stepsOf(counts)
  const next = steps.find(({ isDone }) => !isDone)
  if (next === undefined) return null
  return (
    <Panel title="First steps">
      <Stack>
        {steps.map((step) => (
          <Item
            key={step.what}
            mark={<Badge tone={step.isDone ? 'ok' : 'off'}>{step.isDone ? 'Done' : 'To do'}</Badge>}
            title={step.what}
            action={
              step.isDone ? undefined : (
                <LinkButton kind={step === next ? 'primary' : 'plain'} to={below(slug, step.to)}>
                  {step.act}
                </LinkButton>
              )
            }
          >
            {step.why}
          </Item>
        ))}
      </Stack>
    </Panel>
  )
}

function Attention({ counts }: { counts: Counts }) {
  const { slug } = useWorkspace()
  const { suspended, awaiting_approval } = counts.devices
  const { data: endpoints } = useRead('listEndpoints', { params: { id: useWorkspace().id } })
  const hasTls = endpoints?.items.some((each) =>
    each.endpoints.some(({ protocol }) => protocol === 'mqtts' || protocol === 'wss'),
  )
  const isQuiet = awaiting_approval.value === 0 && suspended.value === 0 && hasTls !== false
  return (
    <Panel title="Needs attention">
      <Stack tight>
        {awaiting_approval.value > 0 && (
          <Note
            tone="warn"
            title={`${countText(awaiting_approval)} devices await approval`}
            action={<LinkButton to={below(slug, 'approvals')}>Look</LinkButton>}
          >
            They are refused until somebody approves them.
          </Note>
        )}
        {hasTls === false && (
          <Note tone="warn" title="Devices connect without encryption">
            The broker has no certificate. Passwords travel in clear text.{' '}
            <Link to={below(slug, 'endpoints')}>Endpoints</Link>
          </Note>
        )}
        {suspended.value > 0 && (
          <Note title={`${countText(suspended)} devices are suspended`}>
            They are refused until they are resumed.
          </Note>
        )}
        {isQuiet && <Muted>Nothing.</Muted>}
      </Stack>
    </Panel>
  )
}

const columns: readonly Column<AuditEntry>[] = [
  { name: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { name: 'What', cell: ({ action }) => <code>{action}</code> },
  { name: 'Which', cell: ({ resource }) => resource && <Id>{resource.id}</Id> },
  { name: 'Who', cell: ({ actor }) => (actor.id === null ? actor.kind : <Id>{actor.id}</Id>) },
]

/** The newest entries of the audit log; those who may not read it see who may. */
function History() {
  const { id } = useWorkspace()
  const blocked = useBlocked('listAuditLog')
  const list = useList(
    'listAuditLog',
    { params: { id }, query: { limit: SHOWN_ENTRIES } },
    { enabled: blocked === undefined, refetchInterval: LIVE_MS },
  )
  return (
    <Panel title="What happened" flush>
      {blocked === undefined ? (
        <Table
          label="Newest entries of the audit log"
          columns={columns}
          list={{ ...list, hasNextPage: false }}
          keyOf={(entry) => entry.id}
          empty={<Empty title="Nothing yet">Each change of the workspace appears here.</Empty>}
        />
      ) : (
        <Empty title="Not for your role">{blocked}</Empty>
      )}
    </Panel>
  )
}

export default function Overview() {
  const { id, slug } = useWorkspace()
  const query = useRead('getOverview', { params: { id } }, { refetchInterval: LIVE_MS })
  return (
    <Page
      title="Overview"
      actions={
        <LinkButton kind="primary" to={below(slug, 'devices/new')}>
          Connect a device
        </LinkButton>
      }
    >
      {query.data === undefined ? (
        <Pending query={query} />
      ) : (
        <>
          <Numbers counts={query.data} />
          <FirstSteps counts={query.data} />
          <Columns wideFirst>
            <History />
            <Attention counts={query.data} />
          </Columns>
        </>
      )}
    </Page>
  )
}
