/** Who did what: the audit log, its hash chain, and its export. */
import { useMutation } from '@tanstack/react-query'
import { Download, Eye } from 'lucide-react'
import { useState } from 'react'
import { filters } from '../../../../sdk/filters.ts'
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { escaped, tokensOf } from '../../api/filter.ts'
import { useList } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { readFile } from '../../api/rows.ts'
import { Button, IconButton } from '../../kit/Button.tsx'
import { FilterEditor } from '../../kit/FilterEditor.tsx'
import { Muted, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { download, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { eventText } from '../events/event-words.ts'
import { Actor } from './Actor.tsx'
import { EntryDialog } from './EntryDialog.tsx'
import { Chain } from './Chain.tsx'

/** For entries that are no events. */
const SLOW_MS = 15_000

const columnsOf = (show: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] => [
  { name: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { name: 'What', cell: ({ action }) => eventText(action) },
  {
    name: 'Which',
    wraps: true,
    cell: ({ resource }) => (resource === null ? <Muted>–</Muted> : <Who id={resource.id} />),
  },
  { name: 'Who', breaks: true, cell: Actor },
  {
    name: 'From',
    breaks: true,
    cell: ({ address }) => (address === null ? <Muted>–</Muted> : <code>{address}</code>),
  },
  { name: 'In the chain', number: true, cell: ({ seq }) => seq ?? <Muted>not yet</Muted> },
  {
    name: 'Whole',
    hidesName: true,
    stays: true,
    cell: (entry) => (
      <IconButton
        label={`Show entry ${entry.id.slice(-6)}`}
        icon={<Eye size={15} />}
        onClick={() => show(entry)}
      />
    ),
  },
]

/** A word alone: an action, an id, or the beginning of an action. */
function filterOf(text: string): string {
  const [token, more] = tokensOf(text)
  if (token?.kind !== 'field' || token.text !== text || more !== undefined) return text
  const word = escaped(text)
  if (/^[a-z]+_[0-7][0-9a-z]{25}$/.test(text)) return `actor = "${word}" OR resource = "${word}"`
  return text.includes('.') ? `action = "${word}"` : `action = "${word}*"`
}

/** The whole chain, as a file that can be verified without the service. */
function Export() {
  const { id, slug } = useWorkspace()
  const blocked = useBlocked('exportAuditLog')
  const get = useMutation<Blob, Problem>({
    mutationFn: () => readFile('exportAuditLog', { params: { id } }, 'application/x-ndjson'),
    onSuccess: (file) => download(`${slug}-audit-log.ndjson`, file),
  })
  return (
    <>
      {get.error !== null && <ProblemNote problem={get.error} />}
      <Button
        icon={<Download size={15} />}
        blocked={blocked}
        busy={get.isPending}
        onClick={() => get.mutate()}
      >
        Export
      </Button>
    </>
  )
}

function Log() {
  const { id } = useWorkspace()
  const [{ filter = '' }, setState] = useSearchState<{ filter: string }>()
  const [shown, setShown] = useState<AuditEntry | null>(null)
  const [columns] = useState(() => columnsOf(setShown))
  const query = { limit: 100, ...(filter !== '' && { filter }) }
  const options = { isLive: true, refetchInterval: SLOW_MS }
  const list = useList('listAuditLog', { params: { id }, query }, options)
  return (
    <Stack tight>
      <Row>
        <FilterEditor
          label="Filter of the audit log"
          placeholder={'device.suspended, or actor = usr_… AND occurred_at > 2026-01-01'}
          value={filter}
          fields={filters.listAuditLog}
          problem={list.error}
          onTyped={() => {}}
          onSubmit={(text) => setState({ filter: filterOf(text) })}
        />
      </Row>
      <Panel flush>
        <Table
          label="Audit log"
          columns={columns}
          list={list}
          keyOf={(entry) => entry.id}
          empty={
            <Empty title="No entry passes this filter">
              Each change of the workspace has an entry, with who made it and from where.
            </Empty>
          }
        />
      </Panel>
      {shown !== null && <EntryDialog entry={shown} onClose={() => setShown(null)} />}
    </Stack>
  )
}

export default function AuditPage() {
  const blocked = useBlocked('listAuditLog')
  if (blocked !== undefined) return <ForbiddenPage title="Audit log" why={blocked} />
  return (
    <Page title="Audit log" actions={<Export />}>
      <Stack>
        <Chain />
        <Log />
      </Stack>
    </Page>
  )
}
