/** One way in which a request can be refused, as data. */
export interface CatalogueEntry {
  status: number
  title: string
  sentence: string
  /** What the caller can do about it, for the error pages. */
  remedy: string
}

/** Status, title, sentence and remedy, in this order. */
export const entry = (
  status: number,
  title: string,
  sentence: string,
  remedy: string,
): CatalogueEntry => ({ status, title, sentence, remedy })
