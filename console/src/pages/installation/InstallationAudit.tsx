/** The audit log of the installation: accounts, sessions, mail, keys of the service. */
import { useMutation } from '@tanstack/react-query'
import { Eye, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { filters } from '../../../../sdk/filters.ts'
import { call } from '../../api/client.ts'
import { useList } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { Button, IconButton } from '../../kit/Button.tsx'
import { FilterEditor } from '../../kit/FilterEditor.tsx'
import { Muted, Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { Announced, Empty, ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { Who } from '../../session/Who.tsx'
import { Actor } from '../audit/Actor.tsx'
import { type Checked, Result, verifyParts } from '../audit/Chain.tsx'
import { EntryDialog } from '../audit/EntryDialog.tsx'
import { eventText } from '../events/event-words.ts'

const REFRESH_MS = 15_000

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

function Verify() {
  const check = useMutation<Checked, Problem>({
    mutationFn: () => verifyParts((query) => call('verifyInstallationAuditLog', { query })),
  })
  return (
    <Panel
      title="Hash chain"
      aside={
        <Button
          kind="primary"
          icon={<ShieldCheck size={15} />}
          busy={check.isPending}
          onClick={() => check.mutate()}
        >
          Verify
        </Button>
      }
    >
      <Announced>
        {check.error !== null && <ProblemNote problem={check.error} />}
        {check.data !== undefined && <Result checked={check.data} />}
        {check.data === undefined && check.error === null && (
          <Small>What concerns no workspace is in a chain of its own.</Small>
        )}
      </Announced>
    </Panel>
  )
}

export default function InstallationAudit() {
  const [{ filter = '' }, setState] = useSearchState<{ filter: string }>()
  const [shown, setShown] = useState<AuditEntry | null>(null)
  const [columns] = useState(() => columnsOf(setShown))
  const query = { limit: 100, ...(filter !== '' && { filter }) }
  const list = useList('listInstallationAuditLog', { query }, { refetchInterval: REFRESH_MS })
  return (
    <Page title="Audit log of the installation">
      <Stack>
        <Verify />
        <Row>
          <FilterEditor
            label="Filter of the audit log"
            placeholder={'action = "account.disabled" AND occurred_at > 2026-01-01'}
            value={filter}
            fields={filters.listInstallationAuditLog}
            problem={list.error}
            onTyped={() => {}}
            onSubmit={(text) => setState({ filter: text })}
          />
        </Row>
        <Panel flush>
          <Table
            label="Audit log"
            columns={columns}
            list={list}
            keyOf={({ id }) => id}
            empty={
              <Empty title="No entry passes this filter">
                Accounts, sessions, factors, mail and the keys of the service leave entries here.
              </Empty>
            }
          />
        </Panel>
        {shown !== null && <EntryDialog entry={shown} onClose={() => setShown(null)} />}
      </Stack>
    </Page>
  )
}
