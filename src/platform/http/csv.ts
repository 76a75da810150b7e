/**
 * Request bodies in CSV (RFC 4180, UTF-8, with a header), parsed as a stream in bounded memory. A
 * malformed row fails alone, as long as the start of the next row can be determined.
 */
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CsvError, type Info, parse, type Parser } from 'csv-parse'
import { Failure } from '../errors/errors.ts'
import { toFailure } from './failures.ts'
import { type Row, type RowLimits, tooLong, tooMany } from './ndjson.ts'

export const CSV = 'text/csv'

/** `header=present` is RFC 4180's own parameter. */
const CSV_TYPE = /^text\/csv(?: *; *(?:charset="?utf-8"?|header=present))*$/i
export const isCsv = (contentType: string): boolean => CSV_TYPE.test(contentType)

/**
 * Interprets a table: takes the header and returns a function that turns cells into a row. Both
 * throw Failure: for a header the request is refused, for a row only that row.
 */
export type CsvColumns = (header: readonly string[]) => (cells: readonly string[]) => unknown

interface CsvRecord {
  info: Info
  record: string[]
}

type Read = { line: number } & ({ cells: string[] } | { failure: Failure })

const malformed = (detail: string): Failure => new Failure('malformed_csv', { detail })

/** The parser's messages quote cells, which must not be echoed. */
function failureOf(error: CsvError): Failure {
  switch (error.code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return malformed('The row has more or fewer cells than the header.')
    case 'CSV_QUOTE_NOT_CLOSED':
      return malformed('A quote is opened and not closed before the end of the body.')
    default:
      return malformed('A cell with a quote in it must be quoted, and the quote be doubled.')
  }
}

/** Where the next row starts is unknown, so reading ends there. */
const isEndless = ({ code }: CsvError): boolean => code === 'CSV_MAX_RECORD_SIZE'

/** A row of this many times the limit is assumed to be an unclosed quote. */
const ENDLESS = 4
/** Bytes parsed at a time: they may hold many rows, and other requests wait meanwhile. */
const PIECE = 2_048

/** A CSV parser that returns good and malformed rows in the order of their lines. */
class RecordReader {
  readonly #parser: Parser
  /** The line from which on rows cannot be distinguished. */
  endsAt = Number.POSITIVE_INFINITY
  #skipped: Read[] = []
  #lastSkipped = 0
  #failure: Error | undefined

  constructor(limits: RowLimits) {
    this.#parser = parse({
      bom: true,
      info: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: limits.lineBytes * ENDLESS,
      on_skip: (error) => this.#skip(error, limits),
    })
    this.#parser.once('error', (error) => (this.#failure = error))
  }

  #skip(error: CsvError | undefined, limits: RowLimits): undefined {
    const line = Number(error?.lines)
    // A bad row may be reported several times.
    if (error === undefined || line >= this.endsAt || line === this.#lastSkipped) return
    if (isEndless(error)) this.endsAt = line
    this.#lastSkipped = line
    this.#skipped.push({ line, failure: isEndless(error) ? tooLong(limits) : failureOf(error) })
  }

  /** The rows that end in this piece of the body. */
  read(chunk: Buffer): Read[] {
    this.#parser.write(chunk)
    return this.#ordered(() => this.#parser.read() as CsvRecord | null)
  }

  /** The rows that are complete only at the end of the body. */
  async rest(): Promise<Read[]> {
    this.#parser.end()
    const last: (CsvRecord | null)[] = []
    for await (const record of this.#parser as AsyncIterable<CsvRecord>) last.push(record)
    last.reverse()
    return this.#ordered(() => last.pop() ?? null)
  }

  /** Merges the malformed rows, which the parser reports separately, with the good ones. */
  #ordered(next: () => CsvRecord | null): Read[] {
    const reads: Read[] = []
    const skipped = this.#skipped
    let at = 0
    for (let record = next(); record !== null; record = next()) {
      const { lines: line } = record.info
      for (; (skipped[at]?.line ?? line) < line; at += 1) reads.push(skipped[at] as Read)
      if (line < this.endsAt) reads.push({ line, cells: record.record })
    }
    for (; at < skipped.length; at += 1) reads.push(skipped[at] as Read)
    this.#skipped = []
    if (this.#failure !== undefined) throw this.#failure
    return reads
  }
}

/**
 * Rows as lists of cells, including the header. The rows of each piece are returned before the next
 * piece is parsed, so that memory stays bounded however many rows are malformed.
 */
async function* readRecords(body: Readable, limits: RowLimits): AsyncGenerator<Read[]> {
  const reader = new RecordReader(limits)
  // Reading may stop before the body ends, and the connection is still needed for the response.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    for (let at = 0; at < (chunk as Buffer).length; at += PIECE) {
      const reads = reader.read((chunk as Buffer).subarray(at, at + PIECE))
      if (reads.length > 0) yield reads
      if (reader.endsAt < Number.POSITIVE_INFINITY) return
      await nextTurn()
    }
  }
  const last = await reader.rest()
  if (last.length > 0) yield last
}

function requireText(cells: readonly string[], limits: RowLimits): void {
  let size = cells.length
  for (const cell of cells) {
    size += Buffer.byteLength(cell)
    if (cell.includes('\0')) throw malformed('A cell contains a NUL character.')
    // The decoder's replacement for invalid UTF-8.
    if (cell.includes('\ufffd')) throw malformed('A cell is not valid UTF-8.')
  }
  if (size > limits.lineBytes) throw tooLong(limits)
}

/** @throws Failure for a header that is missing, unreadable, or names unknown columns */
function headerOf(first: Read | undefined, columns: CsvColumns, limits: RowLimits) {
  if (first === undefined) throw malformed('The first line must name the columns; there is none.')
  if ('failure' in first) throw first.failure
  requireText(first.cells, limits)
  return columns(first.cells)
}

/**
 * Reads the header, then yields rows as they arrive, in lists like `readRows`. `line` is where a
 * row ends; the header is line 1.
 */
export async function readCsv<T>(
  body: Readable,
  columns: CsvColumns,
  check: (value: unknown) => void,
  limits: RowLimits,
): Promise<AsyncIterable<Row<T>[]>> {
  const lists = readRecords(body, limits)
  const { value: first = [] } = (await lists.next()) as { value?: Read[] }
  const valueOf = headerOf(first[0], columns, limits)
  let count = 0
  const rowOf = (read: Read): Row<T> => {
    count += 1
    const { line } = read
    if (count > limits.rows) return { line, failure: tooMany(limits) }
    if ('failure' in read) return read
    try {
      requireText(read.cells, limits)
      const value = valueOf(read.cells)
      check(value)
      return { line, value: value as T }
    } catch (error) {
      return { line, failure: toFailure(error) }
    }
  }
  async function* rows(): AsyncGenerator<Row<T>[]> {
    try {
      let list: Read[] | undefined = first.slice(1)
      while (list !== undefined && count <= limits.rows) {
        const some = list.slice(0, limits.rows + 1 - count).map(rowOf)
        if (some.length > 0) yield some
        list = count > limits.rows ? undefined : ((await lists.next()).value as Read[] | undefined)
      }
    } finally {
      await lists.return(undefined)
    }
  }
  return rows()
}
