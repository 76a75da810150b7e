/** Formats of streamed responses, and content negotiation between them. */

/** The supported formats. */
export const streamFormats = {
  ndjson: { type: 'application/x-ndjson', extension: 'ndjson' },
  // RFC 4180; the first line names the columns.
  csv: { type: 'text/csv', extension: 'csv' },
} as const

export type StreamFormat = keyof typeof streamFormats

export interface StreamOptions {
  /** The first is the default. */
  formats: readonly [StreamFormat, ...StreamFormat[]]
  /** For `Content-Disposition`, without extension. */
  filename: string
}

/**
 * A chunk of a stream: rows, each written as a line of NDJSON, or text sent as is. Chunks should
 * have some kilobytes, since each is one write.
 */
export type StreamChunk<Row> = string | readonly Row[]

/** Qualities by name (RFC 9110 section 12.4.2); the first of a name counts. */
export function qualitiesOf(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim())
    const quality = parameters.find((each) => each.startsWith('q='))?.slice(2)
    if (!qualities.has(name)) {
      qualities.set(name, quality === undefined ? 1 : Number(quality) || 0)
    }
  }
  return qualities
}

/**
 * The media type that the client prefers; among equals the most specifically named, then the first.
 * If it accepts none, the first (which RFC 9110 section 12.4.1 permits).
 */
export function likedBest(accept: string | undefined, types: readonly string[]): string {
  const qualities = qualitiesOf(accept ?? '')
  const rankOf = (type: string): [quality: number, precision: number] => {
    const wide = `${type.split('/', 1)[0]}/*`
    for (const [below, range] of [type, wide, '*/*'].entries()) {
      const quality = qualities.get(range)
      if (quality !== undefined) return [quality, -below]
    }
    return [0, 0]
  }
  const ranked = types.map((type) => ({ type, rank: rankOf(type) }))
  // The sort is stable, so the first of equals stays first.
  ranked.sort(({ rank: one }, { rank: other }) => other[0] - one[0] || other[1] - one[1])
  return ranked[0]?.type ?? ''
}

/** The format of a response: from the query parameter, else by `Accept`. */
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
