/** The output of commands: a table for people, or JSON for programs. */
import { CommandFailure, exitCodes } from './failure.ts'
import { printable } from './printable.ts'

export const formats = ['table', 'json', 'ndjson'] as const
export type Format = (typeof formats)[number]

export type Row = Readonly<Record<string, unknown>>

/** Rows whose widths decide those of the columns. */
const MEASURED_ROWS = 200
const MAX_WIDTH = 60

const write = (text: string): void => void process.stdout.write(text)

/** Messages for people, which are not part of the output. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** The member at a path such as `actor.kind`. */
const memberAt = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row)

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'string') return printable(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isListOfTexts(value)) return printable(value.join(', ')) || '-'
  return printable(JSON.stringify(value))
}

/** The last name of each path; the whole path where two columns have the same one. */
function titlesOf(columns: readonly string[]): string[] {
  const short = columns.map((path) => path.replace(/.*\./, ''))
  const titles = columns.map((path, index) => {
    const name = short[index] ?? path
    return short.filter((other) => other === name).length === 1 ? name : path
  })
  return titles.map((title) => title.replaceAll(/[._]/g, ' ').toUpperCase())
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0))
  return `${padded.join('  ').trimEnd()}\n`
}

/** Prints rows as they come; the first ones decide the widths of the columns. */
async function printTable(rows: AsyncIterable<Row>, columns: readonly string[]): Promise<void> {
  const first: string[][] = []
  let widths: number[] | undefined
  const flush = (): void => {
    const lines = [titlesOf(columns), ...first]
    widths = columns.map((_, index) =>
      Math.min(MAX_WIDTH, Math.max(...lines.map((line) => line[index]?.length ?? 0))),
    )
    for (const line of lines) write(lineOf(line, widths))
  }
  for await (const row of rows) {
    const cells = columns.map((path) => cellOf(memberAt(row, path)))
    if (widths !== undefined) write(lineOf(cells, widths))
    else if (first.push(cells) === MEASURED_ROWS) flush()
  }
  if (widths === undefined) flush()
}

async function* asAsync(rows: Iterable<Row>): AsyncGenerator<Row> {
  yield* rows
}

export interface Output {
  format: Format
  /** A list; as a table with these columns. */
  list(rows: Iterable<Row> | AsyncIterable<Row>, columns: readonly string[]): Promise<void>
  /** One resource. */
  one(row: Row | undefined): void
  /** One of a sequence without end: a line, of these columns for people. */
  line(row: Row, columns: readonly string[]): void
}

/** Members with their values; members of an object and of objects in a list have a path. */
function membersOf(row: object, before = ''): [path: string, value: unknown][] {
  return Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
    const path = before + printable(name)
    const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0
    if (isLeaf || isListOfTexts(value)) return [[path, value] as [string, unknown]]
    return membersOf(value, `${path}.`)
  })
}

function printOne(row: Row): void {
  const members = membersOf(row)
  const width = Math.max(...members.map(([path]) => path.length))
  for (const [path, value] of members) write(`${path.padEnd(width)}  ${cellOf(value)}\n`)
}

/** Lines of a table that has no end; a column is as wide as its widest cell so far. */
function createLines(): (row: Row, columns: readonly string[]) => void {
  let widths: number[] | undefined
  return (row, columns) => {
    const cells = columns.map((path) => cellOf(memberAt(row, path)))
    const titles = widths === undefined ? [titlesOf(columns)] : []
    const known = widths ?? []
    for (const line of [...titles, cells]) {
      for (const [at, cell] of line.entries()) {
        known[at] = Math.max(known[at] ?? 0, Math.min(MAX_WIDTH, cell.length))
      }
    }
    widths = known
    for (const line of [...titles, cells]) write(lineOf(line, known))
  }
}

/** @throws CommandFailure for another format */
export function createOutput(format: string): Output {
  if (!formats.includes(format as Format)) {
    throw new CommandFailure(`--output is one of ${formats.join(', ')}.`, exitCodes.usage)
  }
  const tableLine = createLines()
  const ndjson = (row: Row): void => write(`${JSON.stringify(row)}\n`)
  return {
    format: format as Format,
    async list(rows, columns) {
      const source = Symbol.asyncIterator in rows ? rows : asAsync(rows)
      if (format === 'table') return printTable(source, columns)
      if (format === 'ndjson') {
        for await (const row of source) ndjson(row)
        return
      }
      const all: Row[] = []
      for await (const row of source) all.push(row)
      write(`${JSON.stringify(all, null, 2)}\n`)
    },
    one(row) {
      if (row === undefined) return
      if (format === 'table') printOne(row)
      else if (format === 'ndjson') ndjson(row)
      else write(`${JSON.stringify(row, null, 2)}\n`)
    },
    line(row, columns) {
      if (format !== 'table') ndjson(row)
      else tableLine(row, columns)
    },
  }
}
