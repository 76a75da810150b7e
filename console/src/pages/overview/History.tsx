/** What happened last in a workspace: the newest entries of its audit log, in words. */
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'

/** For entries that are no events. */
const SLOW_MS = 15_000
const READ_ENTRIES = 100
const SHOWN_GROUPS = 12

interface Happened {
  last: AuditEntry
  /** Of entries of the same kind, by the same actor, one after the other. */
  count: number
}

function grouped(entries: readonly AuditEntry[]): Happened[] {
  const groups: Happened[] = []
  for (const entry of entries) {
    const group = groups.at(-1)
    const isSame = group?.last.action === entry.action && group.last.actor.id === entry.actor.id
    if (isSame && group !== undefined) group.count += 1
    else groups.push({ last: entry, count: 1 })
  }
  return groups
}

/** `device.credentials_reset`: “Device credentials reset”. */
function actionText(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Where a person looks at what an entry is about. */
const pages: Readonly<Record<string, string>> = {
  device: 'devices',
  device_template: 'templates',
  template: 'templates',
  job: 'jobs',
  api_key: 'keys',
}

function Which({ last: { resource }, count }: Happened) {
  const { slug } = useWorkspace()
  if (resource === null) return null
  const page = pages[resource.kind]
  if (count > 1 || page === undefined) return <Id>{resource.id}</Id>
  return (
    <Link to={below(slug, `${page}/${resource.id}`)}>
      <code>{`${resource.id.slice(0, 8)}…${resource.id.slice(-6)}`}</code>
    </Link>
  )
}

const columns: readonly Column<Happened>[] = [
  { name: 'When', cell: ({ last }) => <Time at={last.occurred_at} /> },
  {
    name: 'What',
    cell: ({ last, count }) => `${actionText(last.action)}${count > 1 ? ` ×${count}` : ''}`,
  },
  { name: 'Which', cell: (happened) => <Which {...happened} /> },
  {
    name: 'Who',
    cell: ({ last: { actor } }) =>
      actor.id === null && actor.kind !== 'service' ? actor.kind : <Who id={actor.id} />,
  },
]

/** The newest entries of the audit log; those who may not read it see who may. */
export function History() {
  const { id } = useWorkspace()
  const blocked = useBlocked('listAuditLog')
  const list = useList(
    'listAuditLog',
    { params: { id }, query: { limit: READ_ENTRIES } },
    { enabled: blocked === undefined, isLive: true, refetchInterval: SLOW_MS },
  )
  const items = list.items && grouped(list.items).slice(0, SHOWN_GROUPS)
  return (
    <Panel title="What happened" flush>
      {blocked === undefined ? (
        <Table
          label="Newest entries of the audit log"
          columns={columns}
          list={{ ...list, items, hasNextPage: false }}
          keyOf={({ last }) => last.id}
          empty={<Empty title="Nothing yet">Each change of the workspace appears here.</Empty>}
        />
      ) : (
        <Empty title="Not for your role">{blocked}</Empty>
      )}
    </Panel>
  )
}
