/**
 * The results that rules return to operations: a page of a list, or a resource with its revision.
 */

export interface Paged<Item> {
  items: Item[]
  next_cursor: string | null
}

export interface Revised<View> {
  view: View
  /** For the ETag and for preconditions. */
  revision: number
}

/** Makes the response of a resource from its row. */
export const revisedBy =
  <Row extends { revision: number }, View>(viewOf: (row: Row) => View) =>
  (row: Row): Revised<View> => ({ view: viewOf(row), revision: row.revision })
