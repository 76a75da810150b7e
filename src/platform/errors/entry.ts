/** The type of a catalogue entry: one way to refuse a request. */
export interface CatalogueEntry {
  status: number
  title: string
  sentence: string
  /** What the caller can do about it; shown on the error pages. */
  remedy: string
}

/** Status, title, sentence, remedy, in this order. */
export const entry = (
  status: number,
  title: string,
  sentence: string,
  remedy: string,
): CatalogueEntry => ({ status, title, sentence, remedy })
