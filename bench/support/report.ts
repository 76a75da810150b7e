/** The table of a run, for the screen and for docs/performance.md. */
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Result } from './comparison.ts'

export interface Report {
  /** ISO date. */
  date: string
  processor: string
  cores: number
  /** Of the machine, in GiB. */
  memory: number
  node: string
  postgres: string
  results: Result[]
}

export const reportOf = (postgres: string, results: Result[]): Report => ({
  date: new Date().toISOString().slice(0, 10),
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memory: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  postgres,
  results,
})

const grouped = (rate: number): string => Math.round(rate).toLocaleString('en-US')

const HEADINGS = ['', 'ours, per second', 'limit, per second', 'ratio', 'from … to', 'aim', '']

const rowOf = ({ name, unit, against, ours, limit, ratio, aim }: Result): string[] => [
  `${name} (against ${against})`,
  `${grouped(ours.median)} ${unit}`,
  grouped(limit.median),
  ratio.median.toFixed(2),
  `${ratio.min.toFixed(2)} … ${ratio.max.toFixed(2)}`,
  aim.toFixed(1),
  ratio.median >= aim ? 'kept' : 'short',
]

/** A Markdown table that can also be read as it is. */
export function tableOf(results: readonly Result[]): string {
  const rows = [HEADINGS, ...results.map(rowOf)]
  const widths = HEADINGS.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(HEADINGS), rule, ...rows.slice(1).map(line)].join('\n')
}

export const machineOf = (report: Report): string =>
  `${report.date}, ${report.cores} cores (${report.processor}), ${report.memory} GiB, ` +
  `Node ${report.node.slice(1)}, Postgres ${report.postgres}. ` +
  `Medians of ${report.results[0]?.rounds ?? 0} rounds.`

const BEGIN = '<!-- npm run bench -- --write puts the table here -->'
const END = '<!-- end of the table -->'

/** Replaces the table of a page; the prose around it stays. */
export async function writeTable(page: URL, report: Report): Promise<void> {
  const text = await readFile(page, 'utf8')
  const from = text.indexOf(BEGIN)
  const to = text.indexOf(END)
  if (from < 0 || to < from) throw new Error(`${page.pathname} has no place for the table`)
  const table = `${BEGIN}\n${machineOf(report)}\n\n${tableOf(report.results)}\n`
  await writeFile(page, text.slice(0, from) + table + text.slice(to))
}
