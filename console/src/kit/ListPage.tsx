/**
 * A page that lists things of one kind, with a dialog that makes one; and what it shows meanwhile.
 */
import { useLocation } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { OperationId } from '../api/client.ts'
import { useNewDialog } from '../session/new-dialog.ts'
import { useBlocked } from '../session/workspace.tsx'
import { Button } from './Button.tsx'
import { Panel } from './Layout.tsx'
import { Empty, Pending, type PendingQuery } from './Note.tsx'
import { type Crumb, Page, type PageProps } from './Shell.tsx'
import { type Column, type ListQuery, Table } from './Table.tsx'
import { Id } from './Text.tsx'
import { t } from '../i18n/frame.ts'

interface Making {
  /** On its button. */
  label: string
  icon?: ReactNode
  /** Why something else comes first. */
  later?: string | undefined
  operation: OperationId
  dialog: (close: () => void) => ReactNode
}

interface ListPageProps<Row> {
  title: string
  /** The data that could not be read, where the title does not name it. */
  of?: string
  note?: ReactNode
  /** The purpose of resources of this kind, while there are none. */
  empty: {
    title: string
    text: ReactNode
    /** Where there are some, and none of them is found. */
    action?: ReactNode
    /** That makes one. */
    command?: string
  }
  columns: readonly Column<Row>[]
  list: ListQuery<Row>
  keyOf: (row: Row) => string
  making?: Making
  /** Whether the text of the empty list also stands above rows, to say what they are for. */
  isExplained?: boolean
  /** Above the list, such as a filter. */
  head?: ReactNode
  /** Below the list. */
  children?: ReactNode
}

/** The kind of the button that adds an item: a list that could not be read is retried first. */
export const makingKind = ({ items, error }: Pick<ListQuery<unknown>, 'items' | 'error'>) =>
  items === undefined && error !== null ? 'plain' : 'primary'

/** The button of `making`, and its dialog while it is open. */
function useMaking(
  making: Making | undefined,
  kind: ReturnType<typeof makingKind>,
): readonly [button: ReactNode, dialog: ReactNode] {
  const { isOpen, open, close } = useNewDialog()
  const blocked = useBlocked(making?.operation ?? 'getWorkspace')
  if (making === undefined) return [undefined, null]
  const { label, icon = <Plus size={15} />, later, dialog } = making
  const button = (
    <Button
      kind={later === undefined ? kind : 'plain'}
      icon={icon}
      blocked={blocked ?? later}
      onClick={open}
    >
      {label}
    </Button>
  )
  return [button, isOpen && dialog(close)]
}

export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, of = title, note, empty, columns, list, keyOf, making } = props
  const { isExplained, head, children } = props
  const [make, dialog] = useMaking(making, makingKind(list))
  const hasRows = (list.items?.length ?? 0) > 0
  const about = isExplained === true && hasRows ? empty.text : undefined
  const isAbove = empty.action !== undefined || makesAbove(list)
  return (
    <Page title={title} note={note} actions={isAbove && make} about={about}>
      {head}
      <Panel flush>
        <Table
          label={title}
          of={of}
          columns={columns}
          list={list}
          keyOf={keyOf}
          empty={
            <Empty
              title={empty.title}
              action={empty.action ?? make}
              {...(empty.command !== undefined && { command: empty.command })}
            >
              {empty.text}
            </Empty>
          }
        />
      </Panel>
      {children}
      {dialog}
    </Page>
  )
}

/**
 * Whether what makes one stands above the list: an empty list has it itself, and one that is being
 * read may be empty.
 */
export const makesAbove = ({ items, error }: Pick<ListQuery<unknown>, 'items' | 'error'>) =>
  items === undefined ? error !== null : items.length > 0

interface PendingPageProps {
  title: string
  /** The data that could not be read, in a sentence. */
  of: string
  trail: readonly Crumb[]
  query: PendingQuery
  /** Links to its parts, which stay where it exists. */
  tabs?: ReactNode
}

const ID = /[a-z]+_[0-7][0-9a-z]{25}/g

/**
 * The page of one thing, until it has been read. A resource that cannot be read is named by its id.
 */
export function PendingPage({ title, of, trail, query, tabs }: PendingPageProps) {
  const id = useLocation({ select: ({ pathname }) => pathname.match(ID)?.at(-1) })
  const isNamed = query.error !== null && id !== undefined
  return (
    <Page title={title} trail={trail} note={isNamed ? <Id>{id}</Id> : undefined}>
      {query.error?.code.endsWith('not_found') !== true && tabs}
      <Pending query={query} of={of} />
    </Page>
  )
}

interface ForbiddenProps extends Pick<PageProps, 'title' | 'actions' | 'trail'> {
  /** Permission to read it. */
  why: string
}

/** The data that the person may not read. */
const Forbidden = ({ why }: Pick<ForbiddenProps, 'why'>) => (
  <Empty title={t('Not for your role')}>{why}</Empty>
)

/** A page whose contents the person may not read. */
export const ForbiddenPage = ({ why, ...page }: ForbiddenProps) => (
  <Page {...page}>
    <Panel>
      <Forbidden why={why} />
    </Panel>
  </Page>
)
