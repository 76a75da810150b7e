/** The figures in tables of Markdown: numbers with a unit, in their cell or in its heading. */
import { grouped } from './plain-table.ts'

export interface Unit {
  /** As it was written. */
  name: string
  /** The measured quantity; the same for all units of time, and for all of size. */
  measures: string
  /** How many of the smallest unit that is. */
  size: number
}

export interface Figure {
  /** The first cell of its row, without what stands in parentheses behind it. */
  row: string
  /** The heading of its column. */
  column: string
  unit: Unit
  /** In the smallest unit. */
  value: number
}

const TIMES: Record<string, number> = { µs: 1, ms: 1_000, s: 1_000_000 }
const SIZES: Record<string, number> = {
  B: 1,
  kB: 1_000,
  MB: 1_000_000,
  KiB: 1_024,
  MiB: 2 ** 20,
}

/** All that has another name is counted: responses, devices. */
function unitOf(name: string): Unit {
  const [time, size] = [TIMES[name], SIZES[name]]
  if (time !== undefined) return { name, measures: 'time', size: time }
  if (size !== undefined) return { name, measures: 'size', size }
  return { name, measures: name === '%' ? 'share' : 'count', size: 1 }
}

const FIGURE = /^(\d[\d.,]*) ?(\/?[a-zA-Zµ%][^\s:,;]*)?/
const UNIT_OF_HEADING = /, (\w+)$/

function figureOf(row: string, column: string, cell: string): Figure[] {
  const [, digits = '', own] = FIGURE.exec(cell) ?? []
  const name = own ?? UNIT_OF_HEADING.exec(column)?.[1]
  const number = Number(digits.replaceAll(',', ''))
  if (column === 'aim' || name === undefined || !Number.isFinite(number) || digits === '') return []
  const unit = unitOf(name)
  return [{ row: row.replace(/ \([^()]*\)$/, ''), column, unit, value: number * unit.size }]
}

const isRule = (line: string): boolean => /^\|(?: ?-+ ?\|)+$/.test(line)

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())

export function figuresOf(text: string): Figure[] {
  const lines = text.split('\n')
  let headings: string[] = []
  return lines.flatMap((line, at) => {
    if (isRule(line)) headings = cellsOf(lines[at - 1] ?? '')
    // The next line is a rule below headings.
    if (!line.startsWith('|') || isRule(line) || isRule(lines[at + 1] ?? '')) return []
    const [row = '', ...cells] = cellsOf(line)
    return cells.flatMap((cell, column) => figureOf(row, headings[column + 1] ?? '', cell))
  })
}

/** Three digits at least, in its unit. */
export function shownFigure(value: number, { name, size }: Unit): string {
  const number = value / size
  const digits = number >= 100 ? grouped(number) : number.toPrecision(3)
  return name.startsWith('/') ? `${digits}${name}` : `${digits} ${name}`
}
