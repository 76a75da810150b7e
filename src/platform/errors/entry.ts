/** An entry of the catalogue: one way to refuse a request. */
export interface CatalogueEntry {
  status: number
  title: string
  sentence: string
  /** The remedy for the caller; shown on the error pages. */
  remedy: string
}

export const entry = (
  status: number,
  title: string,
  sentence: string,
  remedy: string,
): CatalogueEntry => ({ status, title, sentence, remedy })

const ofStatus =
  (status: number) =>
  (title: string, sentence: string, remedy: string): CatalogueEntry =>
    entry(status, title, sentence, remedy)

export const badRequest = ofStatus(400)
export const unauthorized = ofStatus(401)
export const forbidden = ofStatus(403)
export const notFound = ofStatus(404)
export const conflict = ofStatus(409)
export const gone = ofStatus(410)
export const tooManyRequests = ofStatus(429)
export const unavailable = ofStatus(503)
