/** The latest events of a workspace: the newest entries of its audit log, in words. */
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Panel, Small } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { Actor } from '../audit/Actor.tsx'
import { EventSentence } from '../events/EventSentence.tsx'
import { resourceOf } from '../events/event-labels.ts'
import { Who } from '../../session/Who.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { t } from './translations.ts'

/** For entries that are no events. */
const SLOW_MS = 15_000
const READ_ENTRIES = 100
const SHOWN_GROUPS = 12

type Subject = NonNullable<ReturnType<typeof resourceOf>>

interface Happened {
  last: AuditEntry
  /** The number of consecutive entries of the same kind by the same actor. */
  count: number
  /** Set for the oldest ones that were read: there may be more. */
  isOpenEnd?: boolean
  /** Their subjects by id, the last first. */
  subjects: ReadonlyMap<string, Subject>
}

function grouped(entries: readonly AuditEntry[]): Happened[] {
  const groups: Happened[] = []
  for (const entry of entries) {
    const group = groups.at(-1)
    const isSame = group?.last.action === entry.action && group.last.actor.id === entry.actor.id
    const resource = resourceOf(entry)
    const subjects: [string, Subject][] = resource === null ? [] : [[resource.id, resource]]
    if (!isSame || group === undefined) {
      groups.push({ last: entry, count: 1, subjects: new Map(subjects) })
      continue
    }
    group.count += 1
    group.subjects = new Map([...group.subjects, ...subjects])
  }
  return groups
}

function moreText({ count, isOpenEnd }: Happened): string {
  const n = numberText(count - 1)
  return isOpenEnd === true
    ? t('and at least {n} more like it', { n })
    : t('and {n} more like it', { n })
}

function Which({ subjects, isOpenEnd }: Happened) {
  const [last, ...others] = subjects.values()
  if (last === undefined) return null
  if (others.length === 0) return <Who {...last} />
  return (
    <>
      <Who {...last} />{' '}
      <Small>
        {isOpenEnd === true ? t('and others') : t('and {n} more', { n: numberText(others.length) })}
      </Small>
    </>
  )
}

const columns: readonly Column<Happened>[] = [
  { name: t('When'), cell: ({ last }) => <Time at={last.occurred_at} /> },
  {
    name: t('Event'),
    heads: true,
    wraps: true,
    cell: (happened) => (
      <>
        <span>
          <EventSentence type={happened.last.action} data={happened.last.detail} />
        </span>
        {happened.count > 1 && <Small> {moreText(happened)}</Small>}
      </>
    ),
  },
  { name: t('Subject'), wraps: true, cell: (happened) => <Which {...happened} /> },
  {
    name: t('By'),
    breaks: true,
    cell: ({ last }) => <Actor actor={last.actor} />,
  },
]

/** The newest entries of the audit log, for those who may read it. */
export function History() {
  const { id } = useWorkspace()
  const list = useList(
    'listAuditLog',
    { params: { id }, query: { limit: READ_ENTRIES } },
    { isLive: true, refetchInterval: SLOW_MS },
  )
  const groups = grouped(list.items ?? [])
  const oldest = groups.at(-1)
  if (oldest !== undefined) oldest.isOpenEnd = list.hasNextPage
  const items = list.items && groups.slice(0, SHOWN_GROUPS)
  return (
    <Panel title={t('What happened')} flush>
      <Table
        label={t('Newest entries of the audit log')}
        of={t('What happened')}
        columns={columns}
        list={{ ...list, items, hasNextPage: false }}
        keyOf={({ last }) => last.id}
        empty={
          <Empty title={t('Nothing yet')}>{t('Each change of the workspace appears here.')}</Empty>
        }
      />
    </Panel>
  )
}
