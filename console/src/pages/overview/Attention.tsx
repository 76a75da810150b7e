/** What needs attention: what waits for somebody, fails or lapses, with the way to it. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Overview as Counts } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { Note, type Tone } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Id } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { explainRefusal } from '../devices/reasons.ts'
import { countText, devicesText, filterOf } from './count-words.ts'

type Trouble = Counts['attention'][number]

interface Words {
  tone: Tone
  one: string
  /** After the number. */
  many: string
  what: string
}

const words: Readonly<Record<Trouble['kind'], Words>> = {
  certificate_expired: {
    tone: 'bad',
    one: 'A certificate has expired',
    many: 'certificates have expired',
    what: 'Clients that check certificates refuse to connect.',
  },
  domain_lapsed: {
    tone: 'bad',
    one: 'A domain has lapsed',
    many: 'domains have lapsed',
    what: 'The TXT record is missing; the service no longer answers under the name.',
  },
  webhook_disabled: {
    tone: 'bad',
    one: 'A webhook was disabled',
    many: 'webhooks were disabled',
    what: 'No event is delivered there until somebody enables it again.',
  },
  domain_failing: {
    tone: 'warn',
    one: 'A domain will lapse',
    many: 'domains will lapse',
    what: 'The TXT record is missing. Put it back into the DNS.',
  },
  renewal_failed: {
    tone: 'warn',
    one: 'A certificate was not renewed',
    many: 'certificates were not renewed',
    what: 'The last order failed. The present one works until it expires.',
  },
  certificate_expiring: {
    tone: 'warn',
    one: 'A certificate expires soon',
    many: 'certificates expire soon',
    what: 'Upload the next one, or order it.',
  },
  issuance_failed: {
    tone: 'warn',
    one: 'A certificate was not issued',
    many: 'certificates were not issued',
    what: 'The last order failed.',
  },
  webhook_failing: {
    tone: 'warn',
    one: 'A webhook fails',
    many: 'webhooks fail',
    what: 'The receiver does not answer. Events wait, and are delivered later.',
  },
  domain_unverified: {
    tone: 'info',
    one: 'A domain is not verified',
    many: 'domains are not verified',
    what: 'The last look at the DNS did not find the TXT record.',
  },
}

const pageOf = (id: string): string => (id.startsWith('whk_') ? `webhooks/${id}` : `domains/${id}`)

/** In words, with the first that are concerned and how many more there are. */
function TroubleNote({ kind, count, examples }: Trouble) {
  const { slug } = useWorkspace()
  const { tone, one, many, what } = words[kind]
  const more = count - examples.length
  return (
    <Note tone={tone} title={count === 1 ? one : `${numberText(count)} ${many}`}>
      <Stack tight>
        {what}
        {examples.map(({ id, name }) => (
          <Row key={id}>
            <Link to={below(slug, pageOf(id))}>{name}</Link> <Id>{id}</Id>
          </Row>
        ))}
        {more > 0 && <Small>and {numberText(more)} more</Small>}
      </Stack>
    </Note>
  )
}

interface RefusalsProps extends Pick<Counts, 'refusals'> {
  slug: string
}

const Refusals = ({ refusals, slug }: RefusalsProps) => (
  <Note
    tone="warn"
    title="Refused in the last hour"
    action={<LinkButton to={below(slug, 'connections')}>What to do</LinkButton>}
  >
    {refusals.map(({ reason, devices, attempts }) => (
      <div key={reason}>
        {explainRefusal(reason).what}: {devicesText(numberText(devices))}, {numberText(attempts)}{' '}
        {attempts === 1 ? 'attempt' : 'attempts'}
      </div>
    ))}
  </Note>
)

/** Whether devices can connect with encryption; undefined while that is unknown. */
function useTls(): boolean | undefined {
  const { data } = useRead('listEndpoints', { params: { id: useWorkspace().id } })
  return data?.items.some((each) =>
    each.endpoints.some(({ protocol }) => protocol === 'mqtts' || protocol === 'wss'),
  )
}

function notesOf(counts: Counts, slug: string, hasTls: boolean | undefined): ReactNode[] {
  const { suspended, awaiting_approval } = counts.devices
  const to = below(slug, 'devices')
  return [
    ...counts.attention.map((each) => <TroubleNote key={each.kind} {...each} />),
    awaiting_approval.value > 0 && (
      <Note
        key="approval"
        tone="warn"
        title={`${devicesText(countText(awaiting_approval))} to approve`}
        action={<LinkButton to={below(slug, 'approvals')}>Review</LinkButton>}
      >
        They are refused until somebody approves them.
      </Note>
    ),
    counts.refusals.length > 0 && (
      <Refusals key="refusals" refusals={counts.refusals} slug={slug} />
    ),
    hasTls === false && (
      <Note key="tls" tone="warn" title="Devices connect without encryption">
        The broker has no certificate. Passwords travel in clear text.{' '}
        <Link to={below(slug, 'endpoints')}>Endpoints</Link>
      </Note>
    ),
    suspended.value > 0 && (
      <Note key="suspended" title={`${devicesText(countText(suspended))} suspended`}>
        Refused until somebody resumes them.{' '}
        <Link to={to} search={filterOf('status = suspended')}>
          Show them
        </Link>
      </Note>
    ),
  ].filter(Boolean)
}

export function Attention({ counts }: { counts: Counts }) {
  const { slug } = useWorkspace()
  const notes = notesOf(counts, slug, useTls())
  return (
    <Panel title="Needs attention">
      <Stack tight>
        {notes.length > 0 ? (
          notes
        ) : (
          <Note tone="ok" title="Nothing needs attention">
            What fails, lapses or waits for somebody appears here.
          </Note>
        )}
      </Stack>
    </Panel>
  )
}
