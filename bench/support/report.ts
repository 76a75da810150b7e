/** Tables of comparisons, and the places of all tables in the pages. */
import { readFile, writeFile } from 'node:fs/promises'
import type { Cost, Result } from './comparison.ts'
import { grouped } from './plain-table.ts'

const HEADINGS = [
  '',
  'ours, per second',
  'limit, per second',
  'ratio',
  'from … to',
  'aim',
  '',
  'ours, µs each',
  'limit, µs each',
  'WAL, kB each',
]

/** Processor time: of the measured program, of Postgres, of the generator of the load. */
const costOf = ({ serviceUs, postgresUs, generatorUs }: Cost): string =>
  [serviceUs, postgresUs, generatorUs].map((us) => us.toFixed(us < 10 ? 1 : 0)).join(' + ')

/** Nothing if neither side wrote. */
function walOf({ ours, limit }: { ours: Cost; limit: Cost }): string {
  if (ours.walBytes < 100 && limit.walBytes < 100) return ''
  return [ours, limit].map(({ walBytes }) => (walBytes / 1_000).toFixed(1)).join(' / ')
}

const rowOf = ({ name, unit, against, ours, limit, ratio, aim, costs }: Result): string[] => [
  `${name} (against ${against})`,
  `${grouped(ours.median)} ${unit}`,
  grouped(limit.median),
  ratio.median.toFixed(2),
  `${ratio.min.toFixed(2)} … ${ratio.max.toFixed(2)}`,
  aim.toFixed(2),
  ratio.median >= aim ? 'kept' : 'short',
  costs ? costOf(costs.ours) : '',
  costs ? costOf(costs.limit) : '',
  costs ? walOf(costs) : '',
]

/** A Markdown table that can also be read as it is. */
function topicTable(results: readonly Result[]): string {
  const rows = [HEADINGS, ...results.map(rowOf)]
  const widths = HEADINGS.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(HEADINGS), rule, ...rows.slice(1).map(line)].join('\n')
}

/** A table for each topic, under its heading. */
export function tablesOf(results: readonly Result[]): string {
  const topics = [...Map.groupBy(results, ({ topic }) => topic)]
  return topics.map(([topic, rows]) => `### ${topic}\n\n${topicTable(rows)}`).join('\n\n')
}

/** Replaces the table of a command in a page; the prose around it stays. */
export async function writeTable(page: URL, command: string, content: string): Promise<void> {
  const text = await readFile(page, 'utf8')
  const begin = `<!-- npm run ${command} --write puts the table here -->`
  const end = '<!-- end of the table -->'
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  if (from < 0 || to < from) throw new Error(`${page.pathname} has no place for the table`)
  await writeFile(page, `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`)
}
