/** Entries of an audit log as a table; each can be looked at as a whole. */
import { Eye } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { IconButton } from '../../kit/Button.tsx'
import { refusalOf } from '../../kit/FilterEditor.tsx'
import { Muted, None, Panel } from '../../kit/Layout.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { type Column, Table } from '../../kit/Table.tsx'
import { Timestamp } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { EventSentence } from '../events/EventSentence.tsx'
import { resourceOf } from '../events/event-labels.ts'
import { Actor } from './Actor.tsx'
import { EntryDialog } from './EntryDialog.tsx'
import { type Entries, type LogProps, useShownEntry } from './shown-entry.ts'
import { t } from './translations.ts'

/** Where there is no resource: the reason of a refusal, or the fact that the log lacks. */
function Subject(entry: AuditEntry) {
  const { action, detail } = entry
  const resource = resourceOf(entry)
  if (resource !== null) return <Who {...resource} />
  if (action === 'workspace.erased') return <Muted>{t('a workspace; its id is not kept')}</Muted>
  const { code } = detail as { code?: unknown }
  const isSaid = action === 'access.refused' || typeof code !== 'string'
  return isSaid ? <None /> : <code>{code}</code>
}

const columnsOf = (show: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] => [
  { name: t('When'), wraps: true, cell: ({ occurred_at }) => <Timestamp at={occurred_at} /> },
  {
    name: t('Event'),
    wraps: true,
    heads: true,
    cell: ({ action, detail }) => <EventSentence type={action} data={detail} />,
  },
  {
    name: t('Subject'),
    wraps: true,
    cell: Subject,
  },
  { name: t('By'), breaks: true, cell: Actor },
  {
    name: t('From'),
    breaks: true,
    cell: ({ address }) => (address === null ? <None /> : <code>{address}</code>),
  },
  {
    name: t('Entry'),
    number: true,
    isDetail: true,
    cell: ({ seq }) => seq ?? <Muted>{t('not yet in the chain')}</Muted>,
  },
  {
    name: t('Whole'),
    hidesName: true,
    stays: true,
    opens: true,
    cell: (entry) => (
      <IconButton
        label={t('Show entry {id}', { id: entry.id.slice(-6) })}
        icon={<Eye size={15} />}
        onClick={() => show(entry)}
      />
    ),
  },
]

/** The names of the filter's fields in the columns. */
export const entryLabels = {
  actor: t('By'),
  action: t('Event'),
  resource: t('Subject'),
  address: t('From'),
  occurred_at: t('When'),
}

interface EntryTableProps extends LogProps {
  list: Entries
  /** The changes that leave entries here. */
  children: ReactNode
}

const MissingEntry = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('There is no such entry')} open onClose={onClose}>
    <p>{t('It was deleted after the retention period, or the link is mistyped.')}</p>
  </Dialog>
)

export function EntryTable({ list, children, ...which }: EntryTableProps) {
  const { shown, isMissing, problem, show, close } = useShownEntry(list, which)
  const columns = useMemo(() => columnsOf(show), [show])
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} />}
      <Panel flush>
        <Table
          label={t('Audit log')}
          of={t('The audit log')}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={<Empty title={t('No entry passes this filter')}>{children}</Empty>}
          isMarked={refusalOf(list.error) !== undefined}
        />
      </Panel>
      {shown !== undefined && <EntryDialog entry={shown} onClose={close} />}
      {isMissing && <MissingEntry onClose={close} />}
    </>
  )
}
