/**
 * Bodies and answers as NDJSON: one JSON text a line, read and written as a stream with bounded
 * memory. A line that can't be read is one failed row; the rows around it are not touched.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Failure } from '../errors.ts'
import { MalformedJson, parseJson } from '../lib/json.ts'
import { toFailure } from './failures.ts'

export const NDJSON = 'application/x-ndjson'

/** One line of the body, as it was understood or why it was not. */
export type Row<T> = { line: number } & ({ value: T } | { failure: Failure })

export interface RowLimits {
  rows: number
  /** Bytes of one line. */
  lineBytes: number
}

const NEWLINE = 0x0a

function readLine<T>(line: number, bytes: Buffer, check: (value: unknown) => void): Row<T> {
  try {
    const value = parseJson(bytes)
    check(value)
    return { line, value: value as T }
  } catch (error) {
    const failure =
      error instanceof MalformedJson
        ? new Failure('malformed_json', { detail: error.message })
        : toFailure(error)
    return { line, failure }
  }
}

export const tooLong = ({ lineBytes }: RowLimits): Failure =>
  new Failure('payload_too_large', {
    detail: `A line has at most ${lineBytes} bytes.`,
    limit: { name: 'line_bytes', value: lineBytes },
  })

export const tooMany = ({ rows }: RowLimits): Failure =>
  new Failure('payload_too_large', {
    detail: `A request has at most ${rows} rows; this one and those after it were not read.`,
    limit: { name: 'rows', value: rows },
  })

/**
 * Reads rows as they arrive; each list holds those of one chunk of the network, so that whoever
 * works in batches neither waits for more nor handles row by row. Empty lines are skipped.
 */
export async function* readRows<T>(
  body: Readable,
  check: (value: unknown) => void,
  limits: RowLimits,
): AsyncGenerator<Row<T>[]> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  let count = 0
  let skipping = false
  const take = (bytes: Buffer): Row<T>[] => {
    line += 1
    if (bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)) return []
    count += 1
    if (count > limits.rows) return [{ line, failure: tooMany(limits) }]
    if (bytes.length > limits.lineBytes) return [{ line, failure: tooLong(limits) }]
    return [readLine<T>(line, bytes, check)]
  }
  // Reading may end before the body does, and the answer still has to go out on its connection.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const rows: Row<T>[] = []
    let bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer])
    for (;;) {
      const end = bytes.indexOf(NEWLINE)
      if (end < 0) break
      // The rest of an overlong line belongs to the row that has failed already.
      if (skipping) skipping = false
      else rows.push(...take(bytes.subarray(0, end)))
      bytes = bytes.subarray(end + 1)
      if (count > limits.rows) break
    }
    if (!skipping && count <= limits.rows && bytes.length > limits.lineBytes) {
      line += 1
      count += 1
      rows.push({ line, failure: tooLong(limits) })
      skipping = true
    }
    rest = skipping ? Buffer.alloc(0) : Buffer.from(bytes)
    if (rows.length > 0) yield rows
    if (count > limits.rows) return
  }
  if (!skipping && rest.length > 0) {
    const rows = take(rest)
    if (rows.length > 0) yield rows
  }
}

/** Writes results as they come. What fails then can only be told by an end before the last row. */
export async function* writeRows(
  results: AsyncIterable<unknown[]>,
  serialize: (row: unknown) => string,
): AsyncGenerator<string> {
  for await (const rows of results) {
    let text = ''
    for (const row of rows) text += `${serialize(row)}\n`
    yield text
  }
}

/** What is left of a body is let in for this long, so that the answer before it arrives. */
const LINGER_MS = 2_000

/** Ends a connection whose request goes on after its answer. */
export function abandonRest(request: IncomingMessage): void {
  if (request.complete) return
  const { socket } = request
  request.resume()
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}
