/**
 * Tables as text (RFC 4180): UTF-8 with or without a byte order mark, lines that end in LF or CRLF.
 */

/** Rows as the body of a call. */
export interface Rows {
  type: 'text/csv' | 'application/x-ndjson'
  text: string
}

type Separator = ',' | ';' | '\t'

/**
 * A cell and what ends it: in quotes, in which a quote is doubled, or up to a separator or a line
 * end.
 */
const cellOf = (separator: Separator): RegExp =>
  new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"?|([^"${separator}\\r\\n][^${separator}\\r\\n]*)|)(${separator}|\\r\\n|\\n|\\r|$)`,
    'y',
  )

/** The separator of the cells of the first line: programs in many languages write semicolons. */
export function separatorOf(text: string): Separator {
  const [header = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const count = (each: Separator): number => header.split(each).length
  const candidates: readonly Separator[] = [',', ';', '\t']
  return candidates.reduce((best, each) => (count(each) > count(best) ? each : best))
}

/** The rows of a table, without empty lines. Of malformed text it makes what it can. */
export function parseCsv(text: string, separator: Separator = ','): string[][] {
  const cell = cellOf(separator)
  const rows: string[][] = []
  let row: string[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    cell.lastIndex = at
    const found = cell.exec(text)
    if (found === null) {
      // Text after a closing quote: it belongs to no cell.
      at += 1
      continue
    }
    const [whole, quoted, plain = '', end] = found
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    at += whole.length
    if (end === separator && at < text.length) continue
    if (end === separator) row.push('')
    if (row.length > 1 || row[0] !== '' || quoted !== undefined) rows.push(row)
    row = []
  }
  return rows
}

const quoted = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** One line of a table. A row of one empty cell would be an empty line: it is quoted. */
const lineOf = (row: readonly string[]): string =>
  row.length === 1 && row[0] === '' ? '""\r\n' : `${row.map(quoted).join(',')}\r\n`

export const writeCsv = (rows: readonly (readonly string[])[]): string => rows.map(lineOf).join('')
