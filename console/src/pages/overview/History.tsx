/** What happened last in a workspace: the newest entries of its audit log, in words. */
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Panel, Small } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { Actor } from '../audit/Actor.tsx'
import { EventSentence } from '../events/EventSentence.tsx'
import { resourceOf } from '../events/event-words.ts'
import { Who } from '../../session/Who.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { t } from './words.ts'

/** For entries that are no events. */
const SLOW_MS = 15_000
const READ_ENTRIES = 100
const SHOWN_GROUPS = 12

type Subject = NonNullable<ReturnType<typeof resourceOf>>

interface Happened {
  last: AuditEntry
  /** Of entries of the same kind, by the same actor, one after the other. */
  count: number
  /** What they are about by its id, the last first. */
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

function Which({ subjects }: Happened) {
  const [last, ...others] = subjects.values()
  if (last === undefined) return null
  if (others.length === 0) return <Who {...last} />
  return (
    <>
      <Who {...last} /> <Small>{t('and {n} more', { n: numberText(others.length) })}</Small>
    </>
  )
}

const columns: readonly Column<Happened>[] = [
  { name: t('When'), cell: ({ last }) => <Time at={last.occurred_at} /> },
  {
    name: t('Event'),
    heads: true,
    wraps: true,
    cell: ({ last: { action, detail }, count }) => (
      <>
        <span>
          <EventSentence type={action} data={detail} />
        </span>
        {count > 1 && <Small> {t('and {n} more like it', { n: numberText(count - 1) })}</Small>}
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
  const items = list.items && grouped(list.items).slice(0, SHOWN_GROUPS)
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
