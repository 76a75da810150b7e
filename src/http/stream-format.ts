/** The forms of answers that are streams, and which of them a client gets. */

/** The forms that a stream can have. */
export const streamFormats = {
  ndjson: { type: 'application/x-ndjson', extension: 'ndjson' },
  // RFC 4180; the first line names the columns.
  csv: { type: 'text/csv', extension: 'csv' },
} as const

export type StreamFormat = keyof typeof streamFormats

export interface StreamOptions {
  /** The first is the one of a client that asks for none of them. */
  formats: readonly [StreamFormat, ...StreamFormat[]]
  /** What a browser calls the file, without its extension. */
  filename: string
}

/**
 * What a stream is made of: rows, each written as a line of NDJSON in the shape of the answer, or
 * text that goes out as it is. A chunk should be some kilobytes: each is one write.
 */
export type StreamChunk<Row> = string | readonly Row[]

/** A media range of `Accept` with its quality (RFC 9110 section 12.5.1). */
const rangesOf = (accept: string): { range: string; quality: number }[] =>
  accept.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
    const quality = parameters.find((each) => each.startsWith('q='))?.slice(2)
    return { range, quality: quality === undefined ? 1 : Number(quality) || 0 }
  })

/**
 * The media type that a client likes best, of some; of equals the one that it names, else the
 * first. One that takes none of them gets the first (RFC 9110 section 12.4.1 leaves that to us).
 */
export function likedBest(accept: string | undefined, types: readonly string[]): string {
  const ranges = rangesOf(accept ?? '')
  const rankOf = (type: string): [quality: number, precision: number] => {
    const wide = `${type.split('/', 1)[0]}/*`
    for (const [below, range] of [type, wide, '*/*'].entries()) {
      const found = ranges.find((each) => each.range === range)
      if (found !== undefined) return [found.quality, -below]
    }
    return [0, 0]
  }
  const ranked = types.map((type) => ({ type, rank: rankOf(type) }))
  // The sort is stable: of equals the first stays first.
  ranked.sort(({ rank: one }, { rank: other }) => other[0] - one[0] || other[1] - one[1])
  return ranked[0]?.type ?? ''
}

/** The form of an answer: the one of the query, else the one that `Accept` likes best. */
export function formatOf(
  { formats }: StreamOptions,
  asked: unknown,
  accept: string | undefined,
): StreamFormat {
  const named = formats.find((each) => each === asked)
  if (named !== undefined) return named
  const types = formats.map((format) => streamFormats[format].type)
  const liked = likedBest(accept, types)
  return formats.find((format) => streamFormats[format].type === liked) ?? formats[0]
}
