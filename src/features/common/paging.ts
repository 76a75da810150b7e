/**
 * Keyset pagination: `limit`, `cursor` and the response envelope. A cursor is a position, bound by
 * a MAC to its list and filters: a cursor of another list is refused, and none can be forged.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import Type, { type TSchema } from 'typebox'
import { Failure } from '../../platform/errors/errors.ts'
import type { Paged } from './results.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'The maximum number of items.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 2_048, description: '`next_cursor` of the previous page.' }),
  ),
}

export const Page = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Pass it as `cursor` to get the next page. Null on the last page.',
    }),
  })

export interface PageRequest {
  limit: number
  /** Sort key of the last item of the previous page; undefined on the first page. */
  after: string | undefined
}

export type CursorMac = (text: string) => Buffer

const digest = (list: string): string => createHash('sha256').update(list).digest('base64url')

/**
 * @param list names the list, its workspace and its filters; the cursor is valid for that list only
 * @throws Failure invalid_cursor
 */
export function readPage(
  query: { limit?: number; cursor?: string },
  list: string,
  mac: CursorMac,
): PageRequest {
  const limit = query.limit ?? DEFAULT_LIMIT
  if (query.cursor === undefined) return { limit, after: undefined }
  const [position, tag, rest] = query.cursor.split('.')
  if (position === undefined || tag === undefined || rest !== undefined) {
    throw new Failure('invalid_cursor')
  }
  const good = mac(`${digest(list)}.${position}`).subarray(0, 16)
  const given = Buffer.from(tag, 'base64url')
  if (given.length !== good.length || !timingSafeEqual(given, good)) {
    throw new Failure('invalid_cursor')
  }
  return { limit, after: Buffer.from(position, 'base64url').toString() }
}

/** @param after the sort key of the last item of the page */
export function cursorOf(after: string, list: string, mac: CursorMac): string {
  const position = Buffer.from(after).toString('base64url')
  const tag = mac(`${digest(list)}.${position}`).subarray(0, 16)
  return `${position}.${tag.toString('base64url')}`
}

/**
 * Drops the extra row that the store was asked for (`limit + 1`), and makes the next cursor.
 * @param keyOf the sort key of a row
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  page: PageRequest,
  list: string,
  mac: CursorMac,
  keyOf: (row: Row) => string,
  view: (row: Row) => Item,
): Paged<Item> {
  const rowsOfPage = rows.slice(0, page.limit)
  const last = rowsOfPage.at(-1)
  let cursor: string | null = null
  if (rows.length > page.limit && last !== undefined) {
    cursor = cursorOf(keyOf(last), list, mac)
  }
  return { items: rowsOfPage.map(view), next_cursor: cursor }
}
