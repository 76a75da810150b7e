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
import type { Device, TimelineEntry } from '../../../../sdk/schema.ts'
import type { BadgeTone } from '../../kit/Badge.tsx'
import type { Happening } from '../../kit/Timeline.tsx'
import { inWords } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { explainAttempt, explainEnd } from './reasons.ts'

export type Kind = TimelineEntry['kind']

/** The kinds with their names, in the order in which they are offered. */
export const kindNames: Readonly<Record<Kind, string>> = {
  connection: 'Connections',
  command: 'Commands',
  config: 'Configuration',
  config_report: 'Reports',
  note: 'Notes',
  claim: 'Claims',
  credentials: 'Credentials',
  status: 'Status',
  change: 'Changes',
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

type Words = Pick<Happening, 'tone' | 'title' | 'detail' | 'body'>

/** A link to another part of the device's page. */
const Part = ({ tab, children }: { tab: string; children: ReactNode }) => (
  <Link to="." search={{ tab }}>
    {children}
  </Link>
)

function connection(attempt: NonNullable<TimelineEntry['connection']>, device: Device): Words {
  const { accepted, attempts, address, client_id, duration_s } = attempt
  const from = (
    <>
      from {address} as <code>{client_id}</code>
    </>
  )
  const { what, todo } = explainAttempt(attempt, device)
  if (!accepted) {
    const times = attempts > 1 ? `, ${attempts} times` : ''
    return {
      tone: 'bad',
      title: <Part tab="connections">{`Refused: ${what.toLowerCase()}${times}`}</Part>,
      detail: from,
      ...(todo !== undefined && { body: todo }),
    }
  }
  const end = explainEnd(attempt)
  return {
    tone: end === undefined ? 'ok' : 'off',
    title: <Part tab="connections">Connected</Part>,
    detail: from,
    body:
      end === undefined || duration_s === null
        ? 'It is still connected.'
        : `For ${inWords(duration_s * 1000)}; ${end}.`,
  }
}

const commandEnds: Readonly<Record<string, readonly [words: string, tone: BadgeTone]>> = {
  pending: ['waits for the device', 'info'],
  sent: ['sent, not answered yet', 'info'],
  acknowledged: ['done', 'ok'],
  failed: ['failed', 'bad'],
  timed_out: ['not answered in time', 'warn'],
  cancelled: ['cancelled', 'off'],
}

function command(sent: NonNullable<TimelineEntry['command']>): Words {
  const [words, tone] = commandEnds[sent.status] ?? [sent.status, 'off']
  return {
    tone,
    title: <Part tab="commands">{`Command ${sent.name}: ${words}`}</Part>,
    detail: (
      <>
        by <Who id={sent.created_by} />
      </>
    ),
    ...(sent.error !== null && { body: sent.error }),
  }
}

function report({ version, status, error }: NonNullable<TimelineEntry['report']>): Words {
  const of = version === null ? 'the configuration' : `version ${version}`
  return {
    tone: error === null && status !== 'failed' ? 'ok' : 'bad',
    title: <Part tab="config">{`Reported ${of} as ${status}`}</Part>,
    ...(error !== null && { body: error }),
  }
}

const acts: Readonly<Record<string, readonly [words: string, tone: BadgeTone]>> = {
  'device.registered': ['Registered', 'info'],
  'device.activated': ['First connection', 'ok'],
  'device.approved': ['Approved', 'ok'],
  'device.rejected': ['Rejected', 'bad'],
  'device.suspended': ['Suspended', 'bad'],
  'device.resumed': ['Resumed', 'ok'],
  'device.decommissioned': ['Decommissioned', 'bad'],
  'device.rotated': ['New credentials issued', 'info'],
  'device.credentials_reset': ['Credentials reset', 'warn'],
  'device.rotation_asked': ['Asked to get new credentials', 'info'],
  'device.rotation_allowed': ['Allowed to get new credentials', 'info'],
  'device.claimed': ['Claimed by a phone', 'info'],
  'device.released': ['Released', 'off'],
  'device.updated': ['Changed', 'info'],
  'device.acl_changed': ['Its rules changed', 'info'],
  'device.sessions_cut': ['Disconnected', 'warn'],
}

const fieldNames: Readonly<Record<string, string>> = {
  custom_fields: 'custom fields',
  template_id: 'template',
  hardware_id: 'hardware id',
  expires_at: 'expiry',
  config: 'configuration',
}

const tabOf: Readonly<Partial<Record<Kind, string>>> = { credentials: 'credentials' }

type Actor = NonNullable<TimelineEntry['act']>['actor']

const actorWords: Readonly<Record<string, string>> = {
  device: 'the device itself',
  moid: 'its phone',
  anonymous: 'somebody unknown',
  service: 'the service',
}

export const ActorName = ({ actor: { kind, id } }: { actor: Actor }) => (
  <>{actorWords[kind] ?? <Who id={id} />}</>
)

function act(kind: Kind, { action, actor, detail }: NonNullable<TimelineEntry['act']>): Words {
  const [words, tone] = acts[action] ?? [action, 'off']
  const { changed } = detail as { changed?: unknown }
  const names = Array.isArray(changed) ? changed.map((name) => fieldNames[name] ?? name) : []
  const title = names.length > 0 ? `${words}: ${names.join(', ')}` : words
  const tab = action === 'device.acl_changed' ? 'rules' : tabOf[kind]
  return {
    tone,
    title: tab === undefined ? title : <Part tab={tab}>{title}</Part>,
    detail: (
      <>
        by <ActorName actor={actor} />
      </>
    ),
  }
}

function wordsOf(entry: TimelineEntry, device: Device): Words {
  const { kind } = entry
  if (entry.connection) return connection(entry.connection, device)
  if (entry.command) return command(entry.command)
  if (entry.report) return report(entry.report)
  if (entry.act) return act(kind, entry.act)
  if (entry.note) {
    const { author, text } = entry.note
    const detail = (
      <>
        by <Who id={author.id} />
      </>
    )
    return { tone: 'info', title: <Part tab="notes">Note</Part>, detail, body: text }
  }
  const { version, changed_by } = entry.config ?? { version: 0, changed_by: null }
  return {
    tone: 'info',
    title: <Part tab="config">{`Configuration version ${version}`}</Part>,
    detail: (
      <>
        by <Who id={changed_by} />
      </>
    ),
  }
}

export const happeningOf =
  (device: Device) =>
  (entry: TimelineEntry): Happening => ({
    key: `${entry.kind} ${entry.id}`,
    at: entry.at,
    icon: icons[entry.kind],
    ...wordsOf(entry, device),
  })
