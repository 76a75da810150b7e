/**
 * Request and response bodies in NDJSON: one JSON text per line, streamed in bounded memory. A
 * malformed line fails as one row; the others are unaffected.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Failure } from '../errors/errors.ts'
import { type JsonOptions, MalformedJson, parseJson } from '../lib/json.ts'
import { toFailure } from './failures.ts'

export const NDJSON = 'application/x-ndjson'

/** One line of the body, parsed or with the reason why not. */
export type Row<T> = { line: number } & ({ value: T } | { failure: Failure })

export interface RowLimits {
  rows: number
  lineBytes: number
}

const NEWLINE = 0x0a

function readLine<T>(
  line: number,
  bytes: Buffer,
  check: (value: unknown) => void,
  json: JsonOptions,
): Row<T> {
  try {
    const value = parseJson(bytes, json)
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
    detail: `A request has at most ${rows} rows; this row and all following rows were not read.`,
    limit: { name: 'rows', value: rows },
  })

/** Rows parsed at a time: a chunk may hold many, and other requests wait meanwhile. */
const BATCH = 1_000

/**
 * Reads rows as they arrive. Each list holds the rows of one network chunk, or a part of them, so
 * that batch processing neither waits for more nor works row by row. Empty lines are skipped.
 */
export async function* readRows<T>(
  body: Readable,
  check: (value: unknown) => void,
  limits: RowLimits,
  json: JsonOptions = {},
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
    return [readLine<T>(line, bytes, check, json)]
  }
  // Reading may stop before the body ends, and the connection is still needed for the response.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    let rows: Row<T>[] = []
    let bytes = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer])
    for (;;) {
      const end = bytes.indexOf(NEWLINE)
      if (end < 0) break
      // The rest of an overlong line belongs to the row that has already failed.
      if (skipping) skipping = false
      else rows.push(...take(bytes.subarray(0, end)))
      bytes = bytes.subarray(end + 1)
      if (count > limits.rows) break
      if (rows.length < BATCH) continue
      yield rows
      rows = []
      await nextTurn()
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

/** The rest of the body is read for this long, so that the response sent before it arrives. */
const IDLE_WAIT_MS = 2_000

/**
 * Reads what is left of a body after its response, which Node does only for bodies that nobody has
 * begun to read: the next request on the connection comes after it. Closes a connection whose body
 * continues.
 */
export function abandonRest(request: IncomingMessage): void {
  if (request.complete || !request.readableDidRead) return
  // A reader that was left in the middle would keep the body from flowing.
  request.removeAllListeners('readable').resume()
  const destroyUnlessComplete = (): void => void (request.complete || request.socket.destroy())
  setTimeout(destroyUnlessComplete, IDLE_WAIT_MS).unref()
}
