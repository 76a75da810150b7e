/** A page of a filtered list with its cursor. */
import type { Context } from '../../context.ts'
import type { PageOf } from '../../platform/database/filtered-list.ts'
import { allOf, type FilterNode, fingerprintOf } from '../../platform/lib/filter-node.ts'
import { requireEqual, type ListFields } from '../../platform/lib/list-filter.ts'
import { readFilterOf } from './filter-text.ts'
import { cursorOf, type PageQuery, readPage } from './paging.ts'
import type { Paged } from './results.ts'

interface FilteredList<Row, Item> {
  /** Identifies the list in its cursors. */
  name: string
  /** The fields of the query's filter; without them the caller reads it. */
  fields?: ListFields
  /** Values that query parameters demand of fields. */
  conditions?: Readonly<Record<string, string | undefined>>
  /** The condition that they require otherwise. */
  also?: readonly FilterNode[]
  /** The condition that replaces the one of the filter. */
  stored?: (node: FilterNode) => FilterNode
  pageOf: PageOf<Row>
  /** UUID of what the rows are parts of. */
  whole?: string
  view: (row: Row) => Item
}

/** @throws Failure invalid_request, invalid_cursor */
export async function listFiltered<Row, Item>(
  context: Pick<Context, 'db' | 'keyring' | 'workspaceId'>,
  query: PageQuery & { filter?: string },
  { name, fields, conditions, also = [], stored, pageOf, whole, view }: FilteredList<Row, Item>,
): Promise<Paged<Item>> {
  const { db, workspaceId } = context
  const { filter } = query
  const asked = filter === undefined ? [] : [readFilterOf(filter, fields ?? {}, '/query/filter')]
  const node = requireEqual(allOf([...asked, ...also]), conditions ?? {})
  const list = `${name} ${workspaceId} ${fingerprintOf(node)}`
  const page = readPage(context, query, list)
  const checked = node && stored ? stored(node) : node
  const { rows, next } = await pageOf(db, workspaceId, { ...page, node: checked }, whole)
  return { items: rows.map(view), next_cursor: next ? cursorOf(context, list, next) : null }
}
