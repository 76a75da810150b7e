/** Request bodies of rows: NDJSON, or CSV if the operation interprets its columns. */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../errors/errors.ts'
import { CSV, type CsvColumns, isCsv, readCsv } from './csv.ts'
import { NDJSON, readRows, type Row, type RowLimits } from './ndjson.ts'

/** How rows are parsed; without `csv`, NDJSON only. */
export interface RowFormat extends RowLimits {
  csv?: CsvColumns
}

/** The media types of a body of rows. */
export const rowTypesOf = ({ csv }: RowFormat): readonly string[] =>
  csv === undefined ? [NDJSON] : [NDJSON, CSV]

/** Rejects if the body as a whole is malformed; errors of single rows are returned with them. */
export async function readRowBody(
  { headers, body, routeOptions: { config } }: FastifyRequest,
  format: RowFormat,
  check: (value: unknown) => void,
): Promise<AsyncIterable<Row<unknown>[]>> {
  const source = body as Readable
  if (!isCsv(headers['content-type'] ?? '')) return readRows(source, check, format, config)
  if (format.csv === undefined) throw new Failure('unsupported_media_type')
  return readCsv(source, format.csv, check, format)
}
