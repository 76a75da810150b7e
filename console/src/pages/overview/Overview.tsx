/** Is the fleet well, and what needs attention? For a new workspace: the first steps. */
import type { Overview as Counts } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { LinkButton } from '../../kit/Button.tsx'
import { Cards, Columns, Item, Items, Panel, Stat } from '../../kit/Layout.tsx'
import { Loading, Pending, type PendingQuery } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { countText, numberText, percentText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { WITH_NEW } from '../../session/new-dialog.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ConnectionSeries } from '../connections/ConnectionSeries.tsx'
import { REFUSALS } from '../connections/refusals-place.ts'
import { Attention, useAttention } from './Attention.tsx'
import { filterOf } from './count-links.ts'
import { History } from './History.tsx'
import { t } from './translations.ts'

/** For refusals, which are no events. */
const SLOW_MS = 15_000

/** From this number on, a share says more than the two numbers. */
const MANY = 100

function share({ connected, total }: Counts['devices']): string | undefined {
  if (total.value === 0 || total.is_lower_bound) return undefined
  return total.value < MANY
    ? t('of {total}', { total: numberText(total.value) })
    : t('{share} of all', { share: percentText(connected.value / total.value) })
}

const attemptsOf = ({ refusals }: Counts): number =>
  refusals.reduce((sum, { attempts }) => sum + attempts, 0)

function Numbers({ counts }: { counts: Counts }) {
  const { slug } = useWorkspace()
  const { devices, open_jobs } = counts
  const to = below(slug, 'devices')
  return (
    <Cards>
      <Stat label={t('Devices')} value={countText(devices.total)} link={{ to }} />
      <Stat
        label={t('Connected')}
        value={countText(devices.connected)}
        note={share(devices)}
        link={{ to, search: filterOf('connected = true') }}
      />
      <Stat
        label={t('Suspended')}
        value={countText(devices.suspended)}
        link={{ to, search: filterOf('status = suspended') }}
      />
      <Stat
        label={t('Awaiting approval')}
        value={countText(devices.awaiting_approval)}
        link={{ to: below(slug, 'approvals') }}
      />
      <Stat
        label={t('Refused, last hour')}
        value={numberText(attemptsOf(counts))}
        link={{ to: below(slug, 'connections'), hash: REFUSALS }}
      />
      <Stat
        label={t('Open jobs')}
        value={countText(open_jobs)}
        link={{ to: below(slug, 'jobs') }}
      />
    </Cards>
  )
}

interface Step {
  what: string
  why: string
  isDone: boolean
  /** All works without it. */
  isOptional?: true
  to: string
  /** The dialog of the list that it opens. */
  search?: typeof WITH_NEW
  act: string
}

const stepsOf = ({ devices, device_templates, provision_keys }: Counts): Step[] => [
  {
    what: t('Connect a device'),
    why: t('It gets an identity and a password; code for it is shown, and the page waits for it.'),
    isDone: devices.total.value > 0 && devices.registered.value < devices.total.value,
    to: 'devices/new',
    act: t('Connect a device'),
  },
  {
    what: t('Describe a model'),
    why: t(
      'A template says what all devices of a model have in common: topics, rules, configuration.',
    ),
    isDone: device_templates.value > 0,
    isOptional: true,
    to: 'templates',
    search: WITH_NEW,
    act: t('Create template'),
  },
  {
    what: t('Give your factory a key'),
    why: t(
      'Your production line registers devices with a provision key, which has limits of its own.',
    ),
    isDone: provision_keys !== null && provision_keys.value > 0,
    to: 'keys',
    search: WITH_NEW,
    act: t('Create key'),
  },
]

/**
 * The actions of people who may not read keys: the page has no key, and cannot know whether one
 * exists.
 */
const ownStepsOf = (counts: Counts): Step[] =>
  stepsOf(counts).filter(({ to }) => to !== 'keys' || counts.provision_keys !== null)

const isToDo = ({ isDone, isOptional }: Step): boolean => !isDone && isOptional !== true

function StepMark({ isDone, isOptional }: Step) {
  if (isDone) return <Badge tone="ok">{t('Done')}</Badge>
  return <Badge tone="off">{isOptional === true ? t('Optional') : t('To do')}</Badge>
}

/** The steps of a new workspace; each ticks itself when it has happened. */
function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const { slug } = useWorkspace()
  const next = steps.find(isToDo)
  return (
    <Panel title={t('First steps')}>
      <Items>
        {steps.map((step) => (
          <Item
            key={step.what}
            mark={<StepMark {...step} />}
            title={step.what}
            action={
              step.isDone ? undefined : (
                <LinkButton
                  kind={step === next ? 'primary' : 'plain'}
                  to={below(slug, step.to)}
                  {...(step.search && { search: step.search })}
                >
                  {step.act}
                </LinkButton>
              )
            }
          >
            {step.why}
          </Item>
        ))}
      </Items>
    </Panel>
  )
}

function Known({ counts }: { counts: Counts }) {
  const seesHistory = useBlocked('listAuditLog') === undefined
  const notes = useAttention(counts)
  return (
    <>
      <Numbers counts={counts} />
      {counts.devices.total.value > 0 && (
        <ConnectionSeries connected={counts.devices.connected.value} />
      )}
      <Columns wideFirst={seesHistory} lastAbove lastFirst={notes.length > 0}>
        {seesHistory && <History />}
        <Attention notes={notes} />
      </Columns>
    </>
  )
}

/** Without the numbers: the parts that can be read all the same. */
function Unknown({ query }: { query: PendingQuery }) {
  const seesHistory = useBlocked('listAuditLog') === undefined
  const unread = <Pending query={query} of={t('The numbers')} />
  return (
    <>
      <Panel title={t('Numbers')}>{unread}</Panel>
      <ConnectionSeries />
      {seesHistory && <History />}
      <Panel title={t('Needs attention')}>{unread}</Panel>
    </>
  )
}

export default function Overview() {
  const { id, slug } = useWorkspace()
  const query = useRead(
    'getOverview',
    { params: { id } },
    { isLive: true, refetchInterval: SLOW_MS },
  )
  const steps = query.data === undefined ? [] : ownStepsOf(query.data)
  const mayConnect = useBlocked('createDevice') === undefined
  const isNew = steps.some(isToDo)
  // The next step is what to do first.
  const connect = isNew ? undefined : (
    <LinkButton
      kind={mayConnect && query.error === null ? 'primary' : 'plain'}
      to={below(slug, 'devices/new')}
    >
      {mayConnect ? t('Connect a device') : t('How to connect a device')}
    </LinkButton>
  )
  return (
    <Page title={t('Overview')} actions={connect}>
      {isNew && <FirstSteps steps={steps} />}
      {query.data !== undefined && <Known counts={query.data} />}
      {query.data === undefined && (query.error === null ? <Loading /> : <Unknown query={query} />)}
    </Page>
  )
}
