/** Tables, their selection and their pages; and tabs, which are links. */
import { Link, type LinkProps, useLocation, useRouter } from '@tanstack/react-router'
import { ArrowUp } from 'lucide-react'
import {
  type Dispatch,
  memo,
  type MouseEvent,
  type ReactNode,
  type SetStateAction,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { Problem } from '../api/problem.ts'
import { Button } from './Button.tsx'
import { ProblemNote, Skeleton, Unread } from './Note.tsx'
import css from './Table.module.css'
import { counted, t } from '../i18n/frame.ts'

export interface Column<Row> {
  name: string
  /** Where names can occur twice. */
  id?: string
  /** Without one, the column has no visible heading. */
  hidesName?: boolean
  /** A narrow window writes its name also where it begins a block: a bare number says nothing. */
  saysName?: boolean
  /** The text that a narrow window writes before the value, where rows differ in that. */
  nameIn?: (row: Row) => string
  /** Aligned at its end. */
  number?: boolean
  /** May break into lines. */
  wraps?: boolean
  /** A long word that may break anywhere, such as an address or a client id. */
  breaks?: boolean
  /**
   * The subject of a row, where a narrow window shows it as a block; otherwise the first column.
   */
  heads?: boolean
  /**
   * The value that a narrow window shows at the end of the first line, without its name: a badge.
   */
  ends?: boolean
  /** The value that a narrow window shows after all others: it is long. */
  isLast?: boolean
  /** Buttons: they stay in view while the table scrolls sideways. */
  stays?: boolean
  /** Its button shows the row as a whole: a narrow window lets the whole row press it. */
  opens?: boolean
  /** A narrow window leaves it out: the page of the row, or a wide window, says it. */
  isDetail?: boolean
  cell: (row: Row) => ReactNode
}

interface Selection {
  chosen: ReadonlySet<string>
  onChange: Dispatch<SetStateAction<ReadonlySet<string>>>
}

/** The members of the result of `useList` that a table needs. */
export interface ListQuery<Row> {
  items: readonly Row[] | undefined
  error: Problem | null
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  refetch: () => unknown
  /** Rows that are not shown yet, so that what is read does not move. */
  waiting?: { count: number; show: () => void }
}

interface WholeQuery<Row> {
  data: { items: readonly Row[] } | undefined
  error: Problem | null
  refetch: () => unknown
}

/** A read that returns all items at once, for a table. */
export const listOf = <Row,>({ data, error, refetch }: WholeQuery<Row>): ListQuery<Row> => ({
  ...wholeList(data?.items),
  error,
  refetch,
})

/** Items that are here already, for a table. */
export const wholeList = <Row,>(items: readonly Row[] | undefined): ListQuery<Row> => ({
  items,
  error: null,
  hasNextPage: false,
  isFetchingNextPage: false,
  fetchNextPage: () => undefined,
  refetch: () => undefined,
})

interface TableProps<Row> {
  label: string
  /** The data that could not be read, in a sentence, where the label is none of several things. */
  of?: string
  columns: readonly Column<Row>[]
  list: ListQuery<Row>
  keyOf: (row: Row) => string
  /** A row whose version differs from the one shown before is marked for a moment. */
  versionOf?: (row: Row) => string
  empty: ReactNode
  selection?: Selection
  /** Whether the page shows elsewhere what the error says: then nothing is shown. */
  isMarked?: boolean
  /** Columns of one width, so that those of two tables line up. */
  isEven?: boolean
}

const cellClass = <Row,>(column: Column<Row>): string => {
  const { number, wraps, breaks, stays, heads, saysName, isDetail, opens, ends, isLast } = column
  const width = wraps ? css.wraps : breaks ? css.breaks : css.nowrap
  const marks = [stays && css.stays, heads && css.heads, saysName && css.saysName]
  if (ends === true) marks.push(css.ends)
  if (isLast === true) marks.push(css.last)
  if (isDetail === true) marks.push(css.detail)
  if (opens === true) marks.push(css.opens)
  return [number && css.number, width, ...marks].filter(Boolean).join(' ')
}

const PLACEHOLDERS = [1, 2, 3, 4]

export function Table<Row>(props: TableProps<Row>) {
  const { label, of = label, columns, list, keyOf, versionOf, empty } = props
  const { selection, isMarked, isEven } = props
  const { items, error } = list
  if (items === undefined && error !== null) {
    if (isMarked === true) return null
    return <Unread problem={error} of={of} onRetry={list.refetch} />
  }
  if (items?.length === 0) return empty
  const keys = (items ?? []).map(keyOf)
  const { chosen, onChange } = selection ?? {}
  return (
    <>
      <Waiting waiting={list.waiting} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways */}
      <div className={css.wrap} tabIndex={0} role="region" aria-label={label}>
        <table className={isEven === true ? `${css.table} ${css.even}` : css.table}>
          <thead>
            <tr>
              {selection && <CheckAll keys={keys} selection={selection} />}
              {columns.map((column) => (
                <th key={column.id ?? column.name} scope="col" className={cellClass(column)}>
                  {column.hidesName ? <VisuallyHidden>{column.name}</VisuallyHidden> : column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items === undefined
              ? PLACEHOLDERS.map((each) => <PlaceholderRow key={each} columns={columns.length} />)
              : items.map((row, at) => {
                  const id = keys[at] as string
                  const isChosen = chosen?.has(id)
                  return (
                    <TableRow key={id} {...{ id, row, columns, versionOf, isChosen, onChange }} />
                  )
                })}
          </tbody>
        </table>
      </div>
      <More list={list} count={keys.length} />
    </>
  )
}

const VisuallyHidden = ({ children }: { children: ReactNode }) => (
  <span className="visually-hidden">{children}</span>
)

/** There while it is empty, so that screen readers notice what comes. */
const Waiting = ({ waiting }: Pick<ListQuery<never>, 'waiting'>) => (
  <div role="status">
    {waiting !== undefined && waiting.count > 0 && (
      <div className={css.waiting}>
        <Button icon={<ArrowUp size={15} />} onClick={waiting.show}>
          {counted(waiting.count, '{n} new', '{n} new')}
        </Button>
      </div>
    )}
  </div>
)

function CheckAll({ keys, selection }: { keys: readonly string[]; selection: Selection }) {
  const { chosen, onChange } = selection
  const isAll = keys.length > 0 && keys.every((key) => chosen.has(key))
  return (
    <th className={css.check} scope="col">
      <input
        type="checkbox"
        aria-label={t('Select all rows that are shown')}
        checked={isAll}
        disabled={keys.length === 0}
        title={keys.length === 0 ? t('The rows are still being read.') : undefined}
        ref={(box) => {
          if (box) box.indeterminate = !isAll && chosen.size > 0
        }}
        onChange={() => onChange(new Set(isAll ? [] : keys))}
      />
      <span className={css.all} aria-hidden="true">
        {t('All')}
      </span>
    </th>
  )
}

interface RowProps<Row> extends Pick<TableProps<Row>, 'columns' | 'versionOf'> {
  id: string
  row: Row
  /** Undefined without a selection, as is what changes it. */
  isChosen: boolean | undefined
  onChange: Selection['onChange'] | undefined
}

const FLASH_MS = 600

/** Whether the version has changed a moment ago. */
function useFlash(version: string | undefined): boolean {
  const [shown, setShown] = useState(version)
  useEffect(() => {
    if (shown === version) return
    const timer = setTimeout(() => setShown(version), FLASH_MS)
    return () => clearTimeout(timer)
  }, [shown, version])
  return shown !== version
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen)
  if (!next.delete(id)) next.add(id)
  return next
}

function PlainRow<Row>({ id, row, columns, versionOf, isChosen, onChange }: RowProps<Row>) {
  const isFlashing = useFlash(versionOf?.(row))
  return (
    <tr aria-selected={isChosen} data-changed={isFlashing || undefined}>
      {onChange && (
        <td className={css.check}>
          <input
            type="checkbox"
            aria-label={t('Select {id}', { id })}
            checked={isChosen === true}
            onChange={() => onChange((chosen) => toggled(chosen, id))}
          />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id ?? column.name}
          className={cellClass(column)}
          data-label={column.hidesName ? undefined : (column.nameIn?.(row) ?? column.name)}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

/** Drawn again only if something of it is another: a list grows by pages and is read again. */
const TableRow = memo(PlainRow) as typeof PlainRow

const hasModifier = ({ metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  metaKey || ctrlKey || shiftKey || altKey

/** A link in the row of a long list: unlike `Link`, it does nothing when the address changes. */
export function CellLink({ to, children }: { to: string; children: ReactNode }) {
  const router = useRouter()
  const preload = (): void => void router.preloadRoute({ to })
  const follow = (event: MouseEvent): void => {
    if (hasModifier(event)) return
    event.preventDefault()
    void router.navigate({ to })
  }
  return (
    <a href={`${router.basepath}${to}`} onClick={follow} onMouseEnter={preload} onFocus={preload}>
      {children}
    </a>
  )
}

const PlaceholderRow = ({ columns }: { columns: number }) => (
  <tr aria-hidden="true">
    {Array.from({ length: columns }, (_, at) => (
      <td key={at}>
        <Skeleton />
      </td>
    ))}
  </tr>
)

/** The button that reads the next page of a list. */
export function More<Row>({ list, count }: { list: ListQuery<Row>; count: number }) {
  if (list.error !== null && list.items !== undefined) {
    const again = (): void => void list.fetchNextPage()
    return <ProblemNote problem={list.error} of={t('The next ones')} onRetry={again} />
  }
  if (!list.hasNextPage) return null
  return (
    <div className={css.foot}>
      {counted(count, '{n} shown', '{n} shown')}
      <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {t('Show more')}
      </Button>
    </div>
  )
}

export interface Tab {
  label: string
  link: LinkProps
  /** Open whatever else is in the address. */
  isOpen?: boolean
}

/** The visible part of the tabs next to the open one. */
const NEXT_PX = 24

/** Scrolls the row alone: the page stays where it is. */
function showOpen(row: HTMLElement): void {
  const open = row.querySelector('[aria-current]')?.getBoundingClientRect()
  if (open === undefined) return
  const { left, right } = row.getBoundingClientRect()
  if (open.left < left) row.scrollLeft -= left - open.left + NEXT_PX
  else if (open.right > right) row.scrollLeft += open.right - right + NEXT_PX
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const row = useRef<HTMLElement>(null)
  const href = useLocation({ select: (location) => location.href })
  const shown = useRef('')
  // A narrow window shows some of them: the open one is among these, until somebody scrolls.
  useEffect(() => {
    if (shown.current === href) return
    shown.current = href
    showOpen(row.current as HTMLElement)
  }, [href])
  useEffect(() => {
    const resized = new ResizeObserver(([entry]) => showOpen(entry?.target as HTMLElement))
    resized.observe(row.current as HTMLElement)
    return () => resized.disconnect()
  }, [])
  return (
    <nav ref={row} className={css.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          {...tab.link}
          aria-current={tab.isOpen ? 'page' : undefined}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
