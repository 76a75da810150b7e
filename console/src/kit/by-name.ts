/** Lists that people look names up in. */
import type { ListQuery } from './Table.tsx'
import { locale } from '../i18n/language.ts'

/** `lamp-2` stands before `lamp-10`. */
const names = new Intl.Collator(locale, { numeric: true })

interface PagedQuery<Row> extends ListQuery<Row> {
  data: { pages: readonly unknown[] } | undefined
}

/**
 * Whether all of it was read at once. A list that grows by pages keeps the order of the service.
 */
export const isWhole = ({ data, hasNextPage }: PagedQuery<unknown>): boolean =>
  data !== undefined && data.pages.length === 1 && !hasNextPage

/** In the order of the names, if it is whole. */
export const byName = <Row>(
  list: PagedQuery<Row>,
  nameOf: (row: Row) => string,
): ListQuery<Row> => ({
  ...list,
  items: isWhole(list)
    ? list.items?.toSorted((a, b) => names.compare(nameOf(a), nameOf(b)))
    : list.items,
})
