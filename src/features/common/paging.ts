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

export interface PageQuery {
  limit?: number
  cursor?: string
}

/** Signs cursors. */
interface Signer {
  keyring: { mac(label: 'cursor', text: string): Buffer }
}

function tagOf({ keyring }: Signer, list: string, position: string): Buffer {
  const name = createHash('sha256').update(list).digest('base64url')
  return keyring.mac('cursor', `${name}.${position}`).subarray(0, 16)
}

/** @param after the sort key of the last item of the page */
export function cursorOf(signer: Signer, list: string, after: string): string {
  const position = Buffer.from(after).toString('base64url')
  return `${position}.${tagOf(signer, list, position).toString('base64url')}`
}

/**
 * The sort key in a cursor.
 * @throws Failure invalid_cursor
 */
export function readCursor(signer: Signer, list: string, cursor: string): string {
  const [position, tag, rest] = cursor.split('.')
  if (position === undefined || tag === undefined || rest !== undefined) {
    throw new Failure('invalid_cursor')
  }
  const good = tagOf(signer, list, position)
  const given = Buffer.from(tag, 'base64url')
  if (given.length !== good.length || !timingSafeEqual(given, good)) {
    throw new Failure('invalid_cursor')
  }
  return Buffer.from(position, 'base64url').toString()
}

export const limitOf = ({ limit = DEFAULT_LIMIT }: PageQuery): number => limit

/**
 * A page of a list.
 * @param list names the list, its workspace and its filters; a cursor is valid for that list only
 * @throws Failure invalid_cursor
 */
export function readPage(signer: Signer, query: PageQuery, list: string) {
  const limit = limitOf(query)
  const after = query.cursor === undefined ? undefined : readCursor(signer, list, query.cursor)
  return {
    /** Items of the page. One more row is read, which shows whether another page follows. */
    limit,
    /** Sort key of the last item of the previous page; undefined on the first page. */
    after,
    /** The parameters of the statement that reads the rows. */
    asked: { after: after ?? null, limit: limit + 1 },
    /** The response with the rows that were read. @param keyOf the sort key of a row */
    of<Row, Item>(
      rows: readonly Row[],
      keyOf: (row: Row) => string | number,
      view: (row: Row) => Item,
    ): Paged<Item> {
      const rowsOfPage = rows.slice(0, limit)
      const last = rows.length > limit ? rowsOfPage.at(-1) : undefined
      return {
        items: rowsOfPage.map((row) => view(row)),
        next_cursor: last === undefined ? null : cursorOf(signer, list, String(keyOf(last))),
      }
    },
  }
}
