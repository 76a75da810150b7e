/** The attention list: resources that wait for somebody, fail or lapse, with the way to them. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Overview as Counts } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Note, type Tone } from '../../kit/Note.tsx'
import { byHost } from '../../api/host.ts'
import { isLoopback } from '../../api/loopback.ts'
import { below } from '../../kit/navigation.tsx'
import { countText, numberText } from '../../kit/numbers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { explainRefusal } from '../devices/reasons.ts'
import { REFUSALS } from '../connections/refusals-place.ts'
import { filterOf } from './count-links.ts'
import { counted, t } from './translations.ts'

type Trouble = Counts['attention'][number]

interface Words {
  tone: Tone
  /** @param n of how many things */
  title: (n: number) => string
  what: string
  /** The text for several. */
  whatOfMany?: string
}

const TWICE = t('Two programs seem to use one client id: each disconnects the other.')

const words: Readonly<Record<Trouble['kind'], Words>> = {
  certificate_expired: {
    tone: 'bad',
    title: (n) => counted(n, 'A certificate has expired', '{n} certificates have expired'),
    what: t('Clients that check certificates refuse to connect.'),
  },
  domain_lapsed: {
    tone: 'bad',
    title: (n) => counted(n, 'A domain has lapsed', '{n} domains have lapsed'),
    what: t('The TXT record is missing; the service no longer answers under the name.'),
    whatOfMany: t('Their TXT records are missing; the service no longer answers under the names.'),
  },
  webhook_disabled: {
    tone: 'bad',
    title: (n) => counted(n, 'A webhook was disabled', '{n} webhooks were disabled'),
    what: t('No event is delivered there until somebody enables it again.'),
    whatOfMany: t('No event is delivered there until somebody enables them again.'),
  },
  rotation_halted: {
    tone: 'bad',
    title: (n) => counted(n, 'A rotation has halted', '{n} rotations have halted'),
    what: t('Too many devices have failed. It waits until somebody resumes or cancels it.'),
    whatOfMany: t(
      'Too many devices have failed. They wait until somebody resumes or cancels them.',
    ),
  },
  device_client_id_conflict: {
    tone: 'bad',
    title: (n) =>
      counted(
        n,
        'A device keeps disconnecting itself',
        '{n} devices keep disconnecting themselves',
      ),
    what: TWICE,
  },
  login_client_id_conflict: {
    tone: 'bad',
    title: (n) =>
      counted(
        n,
        'An MQTT login keeps disconnecting itself',
        '{n} MQTT logins keep disconnecting themselves',
      ),
    what: TWICE,
  },
  domain_failing: {
    tone: 'warn',
    title: (n) => counted(n, 'A domain will lapse', '{n} domains will lapse'),
    what: t('The TXT record is missing. Put it back into the DNS.'),
  },
  renewal_failed: {
    tone: 'warn',
    title: (n) => counted(n, 'A certificate was not renewed', '{n} certificates were not renewed'),
    what: t('The last order failed. The current one works until it expires.'),
  },
  certificate_expiring: {
    tone: 'warn',
    title: (n) => counted(n, 'A certificate expires soon', '{n} certificates expire soon'),
    what: t('Upload the next one, or order it.'),
  },
  issuance_failed: {
    tone: 'warn',
    title: (n) => counted(n, 'A certificate was not issued', '{n} certificates were not issued'),
    what: t('The last order failed.'),
  },
  webhook_failing: {
    tone: 'warn',
    title: (n) => counted(n, 'A webhook fails', '{n} webhooks fail'),
    what: t(
      'Its events are not delivered, and are held back. After three days of this, it is disabled.',
    ),
    whatOfMany: t(
      'Their events are not delivered, and are held back. After three days of this, each is disabled.',
    ),
  },
  domain_unverified: {
    tone: 'info',
    title: (n) => counted(n, 'A domain is not verified', '{n} domains are not verified'),
    what: t('The last look at the DNS did not find the TXT record.'),
  },
}

const pageOf = (id: string): string => (id.startsWith('whk_') ? `webhooks/${id}` : `domains/${id}`)

/** In words, with the first that are concerned and how many more there are. */
function TroubleNote({ kind, count, examples }: Trouble) {
  const { slug } = useWorkspace()
  const { tone, title, what, whatOfMany = what } = words[kind]
  const more = count - examples.length
  return (
    <Note tone={tone} title={title(count)}>
      <Stack tight>
        <span>{count === 1 ? what : whatOfMany}</span>
        {examples.map(({ id, name }) =>
          /^(cmp|dev|mqp)_/.test(id) ? (
            <Who key={id} id={id} />
          ) : (
            <Link key={id} to={below(slug, pageOf(id))} title={name}>
              {byHost(name)}
            </Link>
          ),
        )}
        {more > 0 && <Small>{t('and {n} more', { n: numberText(more) })}</Small>}
      </Stack>
    </Note>
  )
}

interface RefusalsProps extends Pick<Counts, 'refusals'> {
  slug: string
}

const Refusals = ({ refusals, slug }: RefusalsProps) => (
  <Note tone="warn" title={t('Refused in the last hour')}>
    <Stack tight>
      {refusals.map(({ reason, devices, logins, attempts }) => (
        <span key={reason}>
          {explainRefusal(reason).what}:{' '}
          {devices > 0 && <>{counted(devices, '{n} device', '{n} devices')}, </>}
          {logins > 0 && <>{counted(logins, '{n} MQTT login', '{n} MQTT logins')}, </>}
          {counted(attempts, '{n} attempt', '{n} attempts')}
        </span>
      ))}
      <Link to={below(slug, 'connections')} hash={REFUSALS}>
        {t('See refusals')}
      </Link>
    </Stack>
  </Note>
)

/** Whether devices can only connect in the clear, beyond this machine; undefined while unknown. */
function useIsOpen(): boolean | undefined {
  const { data } = useRead('listEndpoints', { params: { id: useWorkspace().id } })
  const endpoints = data?.items.flatMap((each) => each.endpoints)
  return endpoints?.every(
    ({ protocol, host }) => protocol !== 'mqtts' && protocol !== 'wss' && !isLoopback(host),
  )
}

interface WaitingProps {
  slug: string
  count: string
}

function ToApprove({ slug, count }: WaitingProps) {
  const isOne = count === '1'
  const title = isOne ? t('1 device to approve') : t('{count} devices to approve', { count })
  return (
    <Note tone="warn" title={title}>
      <Stack tight>
        <span>
          {isOne
            ? t('This device is refused until somebody approves it.')
            : t('These devices are refused until somebody approves them.')}
        </span>
        <Link to={below(slug, 'approvals')}>{t('Review')}</Link>
      </Stack>
    </Note>
  )
}

function AreSuspended({ slug, count }: WaitingProps) {
  const isOne = count === '1'
  const title = isOne ? t('1 device suspended') : t('{count} devices suspended', { count })
  return (
    <Note title={title}>
      <Stack tight>
        <span>
          {isOne
            ? t('It cannot connect until somebody resumes it.')
            : t('They cannot connect until somebody resumes them.')}
        </span>
        <Link to={below(slug, 'devices')} search={filterOf('status = suspended')}>
          {t('Show them')}
        </Link>
      </Stack>
    </Note>
  )
}

function notesOf(counts: Counts, slug: string, isOpen: boolean | undefined): ReactNode[] {
  const { suspended, awaiting_approval } = counts.devices
  return [
    ...counts.attention.map((each) => <TroubleNote key={each.kind} {...each} />),
    awaiting_approval.value > 0 && (
      <ToApprove key="approval" slug={slug} count={countText(awaiting_approval)} />
    ),
    counts.refusals.length > 0 && (
      <Refusals key="refusals" refusals={counts.refusals} slug={slug} />
    ),
    isOpen === true && (
      <Note key="tls" tone="warn" title={t('Devices connect without encryption')}>
        <Stack tight>
          <span>{t('The broker has no certificate. Passwords travel in clear text.')}</span>
          <Link to={below(slug, 'endpoints')}>{t('Show the endpoints')}</Link>
        </Stack>
      </Note>
    ),
    suspended.value > 0 && (
      <AreSuspended key="suspended" slug={slug} count={countText(suspended)} />
    ),
  ].filter(Boolean)
}

export function useAttention(counts: Counts): readonly ReactNode[] {
  const { slug } = useWorkspace()
  return notesOf(counts, slug, useIsOpen())
}

export function Attention({ notes }: { notes: readonly ReactNode[] }) {
  return (
    <Panel title={t('Needs attention')}>
      <Stack tight>
        {notes.length > 0 ? (
          notes
        ) : (
          <Note tone="ok" title={t('Nothing needs attention')}>
            {t('What fails, lapses or waits for somebody appears here.')}
          </Note>
        )}
      </Stack>
    </Panel>
  )
}
