/** Bodies that are rows: NDJSON, or CSV where an operation says what its columns mean. */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../errors.ts'
import { type CsvColumns, isCsv, readCsv } from './csv.ts'
import { readRows, type Row, type RowLimits } from './ndjson.ts'

/** How the rows of a body are read; without `csv` they are NDJSON alone. */
export interface RowFormat extends RowLimits {
  csv?: CsvColumns
}

/** Rejects with what is wrong with all of the body; what is wrong with a row comes with it. */
export async function readRowBody(
  { headers, body }: FastifyRequest,
  format: RowFormat,
  check: (value: unknown) => void,
): Promise<AsyncIterable<Row<unknown>[]>> {
  const source = body as Readable
  if (!isCsv(headers['content-type'] ?? '')) return readRows(source, check, format)
  if (format.csv === undefined) throw new Failure('unsupported_media_type')
  return readCsv(source, format.csv, check, format)
}
