/** The entries of a device's timeline in words, each with a link to the thing. */
import { Link } from '@tanstack/react-router'
import {
  Cable,
  FilePen,
  FileCheck,
  KeyRound,
  MessageSquareText,
  Smartphone,
  SquarePen,
  Tag,
  Terminal,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { ConnectionAttempt, Device, TimelineEntry } from '../../../../sdk/schema.ts'
import type { BadgeTone } from '../../kit/Badge.tsx'
import { Token } from '../../kit/Text.tsx'
import type { Happening } from '../../kit/Timeline.tsx'
import { Who } from '../../session/Who.tsx'
import { EventSentence } from '../events/EventSentence.tsx'
import { commandLabels } from './command-labels.ts'
import { reportLabel } from './device-labels.tsx'
import { explainAttempt, explainDuration, explainRun, withinSentence } from './reasons.ts'
import type { Shown } from './replaced.ts'
import { numberText } from '../../kit/numbers.ts'
import { rich, t } from './translations.ts'

export type Kind = TimelineEntry['kind']

/** The kinds with their names, in the order in which they are offered. */
export const kindNames: Readonly<Record<Kind, string>> = {
  connection: t('Connections'),
  command: t('Commands'),
  config: t('Configuration'),
  config_report: t('Reports'),
  note: t('Notes'),
  claim: t('Claims'),
  credentials: t('Credentials'),
  status: t('Status'),
  change: t('Changes'),
}

const SIZE = 14

const icons: Readonly<Record<Kind, ReactNode>> = {
  connection: <Cable size={SIZE} />,
  command: <Terminal size={SIZE} />,
  config: <FilePen size={SIZE} />,
  config_report: <FileCheck size={SIZE} />,
  note: <MessageSquareText size={SIZE} />,
  claim: <Smartphone size={SIZE} />,
  credentials: <KeyRound size={SIZE} />,
  status: <Tag size={SIZE} />,
  change: <SquarePen size={SIZE} />,
}

type HappeningText = Pick<Happening, 'tone' | 'title' | 'detail' | 'body'>

const by = (who: ReactNode): ReactNode => rich('by {who}', { who })

/** A link to another part of the device's page. */
const Part = ({ tab, children }: { tab: string; children: ReactNode }) => (
  <Link to="." search={{ tab }}>
    {children}
  </Link>
)

const fromOf = ({ address, client_id }: ConnectionAttempt): ReactNode =>
  rich('from {address} as {client}', { address, client: <Token>{client_id}</Token> })

function connection(attempt: ConnectionAttempt, device: Device): HappeningText {
  const { accepted, attempts } = attempt
  const from = fromOf(attempt)
  const { what, todo } = explainAttempt(attempt, device)
  if (!accepted) {
    const words = { what: withinSentence(what), n: numberText(attempts) }
    return {
      tone: 'bad',
      title: (
        <Part tab="connections">
          {attempts > 1 ? t('Refused: {what}, {n} times', words) : t('Refused: {what}', words)}
        </Part>
      ),
      detail: from,
      ...(todo !== undefined && { body: todo }),
    }
  }
  return {
    tone: attempt.session === 'open' ? 'ok' : 'off',
    title: <Part tab="connections">{t('Connected')}</Part>,
    detail: from,
    body: t('Duration: {duration}.', { duration: explainDuration(attempt) }),
  }
}

/** Sessions that were replaced one after the other. */
function replacements(last: ConnectionAttempt, count: number): HappeningText {
  return {
    tone: 'warn',
    title: (
      <Part tab="connections">
        {t('Connected and replaced {n} times', { n: numberText(count) })}
      </Part>
    ),
    detail: fromOf(last),
    body: explainRun(last),
  }
}

function command(sent: NonNullable<TimelineEntry['command']>): HappeningText {
  const [words, tone] = commandLabels[sent.status]
  return {
    tone,
    title: <Part tab="commands">{t('Command {name}: {words}', { name: sent.name, words })}</Part>,
    detail: by(<Who id={sent.created_by} />),
    ...(sent.error !== null && { body: sent.error }),
  }
}

function report({ version, status, error }: NonNullable<TimelineEntry['report']>): HappeningText {
  const words = reportLabel(status)
  const title =
    version === null
      ? t('Reported the configuration as {status}', { status: words })
      : t('Reported version {version} as {status}', { version, status: words })
  return {
    tone: error === null && status !== 'failed' ? 'ok' : 'bad',
    title: <Part tab="config">{title}</Part>,
    ...(error !== null && { body: error }),
  }
}

const acts: Readonly<Record<string, readonly [words: string, tone: BadgeTone]>> = {
  'device.registered': [t('Registered'), 'info'],
  'device.activated': [t('First connection'), 'ok'],
  'device.approved': [t('Approved'), 'ok'],
  'device.rejected': [t('Rejected'), 'bad'],
  'device.suspended': [t('Suspended'), 'bad'],
  'device.resumed': [t('Resumed'), 'ok'],
  'device.decommissioned': [t('Decommissioned'), 'bad'],
  'device.rotated': [t('Credentials rotated'), 'info'],
  'device.credentials_reset': [t('Credentials reset'), 'warn'],
  'device.rotation_asked': [t('Credential rotation requested'), 'info'],
  'device.rotation_allowed': [t('Allowed to rotate its credentials'), 'info'],
  'device.updated': [t('Changed'), 'info'],
  'device.acl_changed': [t('Its rules changed'), 'info'],
  'device.sessions_cut': [t('Disconnected'), 'warn'],
}

const fieldNames: Readonly<Record<string, string>> = {
  tags: t('tags'),
  name: t('name'),
  custom_fields: t('custom fields'),
  template_id: t('template'),
  hardware_id: t('hardware id'),
  expires_at: t('expiry'),
  config: t('configuration'),
}

const tabOf: Readonly<Partial<Record<Kind, string>>> = { credentials: 'credentials' }

type Actor = NonNullable<TimelineEntry['act']>['actor']

const actorLabels: Readonly<Record<string, string>> = {
  device: t('the device itself'),
  moid: t('its phone'),
  anonymous: t('somebody unknown'),
  service: t('the service'),
}

const ActorName = ({ actor: { kind, id } }: { actor: Actor }) => (
  <>{actorLabels[kind] ?? <Who id={id} />}</>
)

/** Acts whose sentence is that of the event. */
const claimTones: Readonly<Record<string, BadgeTone>> = {
  'device.claimed': 'info',
  'device.released': 'off',
}

/** Acts whose words say who did them, or that nobody did them on purpose. */
const saysWho: ReadonlySet<string> = new Set(['device.claimed', 'device.activated'])

function act(
  kind: Kind,
  { action, actor, detail }: NonNullable<TimelineEntry['act']>,
): HappeningText {
  const doer = !saysWho.has(action) && { detail: by(<ActorName actor={actor} />) }
  const claimTone = claimTones[action]
  if (claimTone !== undefined) {
    return { tone: claimTone, title: <EventSentence type={action} data={detail} />, ...doer }
  }
  const [words, tone] = acts[action] ?? [action, 'off']
  const { changed } = detail as { changed?: unknown }
  const names = Array.isArray(changed) ? changed.map((name) => fieldNames[name] ?? name) : []
  const title = names.length > 0 ? `${words}: ${names.join(', ')}` : words
  const tab = action === 'device.acl_changed' ? 'rules' : tabOf[kind]
  return {
    tone,
    title: tab === undefined ? title : <Part tab={tab}>{title}</Part>,
    ...doer,
  }
}

function textOf({ entry, run }: Shown<TimelineEntry>, device: Device): HappeningText {
  const { kind } = entry
  if (entry.connection && run.length > 1) return replacements(entry.connection, run.length)
  if (entry.connection) return connection(entry.connection, device)
  if (entry.command) return command(entry.command)
  if (entry.report) return report(entry.report)
  if (entry.act) return act(kind, entry.act)
  if (entry.note) {
    const { author, text } = entry.note
    const detail = by(<Who id={author.id} />)
    return { tone: 'info', title: <Part tab="notes">{t('Note')}</Part>, detail, body: text }
  }
  const { version, changed_by } = entry.config ?? { version: 0, changed_by: null }
  return {
    tone: 'info',
    title: <Part tab="config">{t('Configuration version {version}', { version })}</Part>,
    detail: by(<Who id={changed_by} />),
  }
}

export const happeningOf =
  (device: Device) =>
  (shown: Shown<TimelineEntry>): Happening => ({
    key: `${shown.entry.kind} ${shown.entry.id}`,
    at: shown.entry.at,
    icon: icons[shown.entry.kind],
    ...textOf(shown, device),
  })
