/** Pages of filtered lists whose fields are columns, in one order whatever the filter is. */
import type { FilterNode } from '../lib/filter-node.ts'
import type { Db } from './connect.ts'
import { searchPage, USUAL_EFFORT } from './filter-page.ts'
import type { ListOrder, Position } from './filter-statements.ts'
import { rowReader, sql, type Statements } from './sql.ts'
import {
  type Add,
  columnCondition,
  createdScan,
  type FieldSql,
  idScan,
  type IndexScan,
  pinScan,
} from './index-scan.ts'

interface FilteredColumn {
  sql: string
  /** There is an index on `(workspace_id, <part of>, <sql>, <order>)`, perhaps for some values. */
  isIndexed?: boolean | ((value: string) => boolean)
  /** The condition of that index, if it is partial; rows with an indexed value satisfy it. */
  indexHas?: string
  /** It is the time at which the id was generated, within an hour. */
  isTimeOfId?: boolean
}

interface FilteredTable {
  /** Columns to read, including the one that orders the list. */
  columns: string
  /** SQL of further columns, for rows of the page alone: `seen` is one, `$1` the workspace. */
  more?: string
  table: string
  /**
   * The column of the whole that the rows are parts of, such as the job of an item. The key is
   * `(workspace_id, <part of>, <order>)`; all other indexes start with the first two as well.
   */
  partOf?: string
  /** By default by `id`, newest first. */
  order?: ListOrder
  fields: Readonly<Record<string, FilteredColumn>>
}

const BY_ID: ListOrder = { column: 'id', type: 'uuid' }
const INDEX_RANK = 2

const fieldSql = (
  { sql, isIndexed, indexHas, isTimeOfId }: FilteredColumn,
  order: ListOrder,
): FieldSql => ({
  condition: (predicate, add) => columnCondition(sql, predicate, add),
  scans(predicate): IndexScan[] {
    if (isTimeOfId) return [createdScan(predicate)]
    if (predicate.test !== '=') return []
    if (sql === order.column && order.type === 'uuid') return [idScan(predicate)]
    const has = typeof isIndexed === 'function' ? isIndexed(predicate.value) : isIndexed
    if (!has) return []
    return [{ ...pinScan(predicate, INDEX_RANK, sql), ...(indexHas && { partial: indexHas }) }]
  },
})

export interface FilteredRequest {
  node: FilterNode | undefined
  /** The sort key of the previous page's last row, as text. */
  after: string | undefined
  limit: number
}

/**
 * Reads a page.
 * @param whole UUID of what the rows are parts of, for tables with `partOf`
 * @returns the rows, and where the next page starts; undefined after the last one
 */
export type PageOf<Row> = (
  db: Db,
  workspaceId: string,
  request: FilteredRequest,
  whole?: string,
) => Promise<{ rows: Row[]; next: string | undefined }>

/** The type of a list's rows. */
export type RowOfList<Of> = Of extends PageOf<infer Row> ? Row : never

/**
 * @param name of the statement that describes the rows: all of a workspace, without a filter. It is
 * checked like every statement, and gives the rows their type. The list composes its own.
 */
export function filteredList<Name extends keyof Statements>(
  name: Name,
  { partOf, order = BY_ID, fields, ...columns }: FilteredTable,
): PageOf<Statements[Name]['row']> {
  const { columns: shown, more, table: from } = columns
  const described = sql(name)`
    SELECT seen.*${more === undefined ? '' : `, ${more}`}
    FROM (SELECT ${shown} FROM ${from} WHERE workspace_id = $workspaceId) seen`
  const read = rowReader<Statements[Name]['row']>(described.stored)
  function fieldOf(name: string): FieldSql {
    const field = fields[name]
    if (field === undefined) throw new Error('a field of the filter has no column')
    return fieldSql(field, order)
  }
  const positionOf = (row: Statements[Name]['row']): Position => {
    const value = (row as Record<string, unknown>)[order.column]
    // Times are read as milliseconds.
    const id = order.type === 'timestamptz' ? new Date(Number(value)).toISOString() : String(value)
    return { k: null, id }
  }
  return async (db, workspaceId, { node, after, limit }, whole) => {
    if ((partOf === undefined) !== (whole === undefined)) throw new Error('parts have a whole')
    const parts = partOf === undefined ? [] : [{ column: partOf, value: (add: Add) => add(whole) }]
    const table = { ...columns, order, parts, fieldOf }
    const position = after === undefined ? undefined : { k: null, id: after }
    const search = { db, table, workspaceId, node, positionOf, effort: USUAL_EFFORT }
    const { rows, next } = await searchPage(search, { step: 0, position }, limit)
    return { rows: read(rows), next: next?.position?.id }
  }
}
