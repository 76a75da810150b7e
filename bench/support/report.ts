/** The table of results, for the terminal and docs/performance.md. */
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Cost, Result } from './comparison.ts'

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

const walOf = ({ walBytes }: Cost): string => (walBytes < 100 ? '' : (walBytes / 1_000).toFixed(1))

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
  costs ? [costs.ours, costs.limit].map(walOf).filter(Boolean).join(' / ') : '',
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
export function tableOf(results: readonly Result[]): string {
  const topics = [...Map.groupBy(results, ({ topic }) => topic)]
  return topics.map(([topic, rows]) => `### ${topic}\n\n${topicTable(rows)}`).join('\n\n')
}

/** Above this share of the machine's cores, other programs have distorted the ratios. */
const BUSY = 0.1

/** Says so if other programs worked meanwhile; '' if the machine was quiet. */
function busyLine(results: readonly Result[]): string {
  const highest = Math.max(0, ...results.map(({ others }) => others))
  if (highest <= BUSY) return ''
  const percent = Math.round(highest * 100)
  return ` **The machine was busy**: other programs used up to ${percent} % of it, so the ratios are unreliable.`
}

export const machineLine = (report: Report): string =>
  `${report.date}, ${report.cores} cores (${report.processor}), ${report.memory} GiB, ` +
  `Node ${report.node.slice(1)}, Postgres ${report.postgres}.`

export const machineOf = (report: Report): string =>
  `${machineLine(report)} Medians of ${report.results[0]?.rounds ?? 0} rounds.${busyLine(report.results)}`

const BENCH = 'npm run bench -- '

/** Replaces a table of a page; the prose around it stays. */
async function writePlace(
  page: URL,
  name: string,
  content: string,
  command = BENCH,
): Promise<void> {
  const text = await readFile(page, 'utf8')
  const begin = `<!-- ${command}${name}--write puts the table here -->`
  const end = `<!-- end of the ${name}table -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`${page.pathname} has no place for the table`)
  await writeFile(page, `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`)
}

export const writeTable = (page: URL, report: Report): Promise<void> =>
  writePlace(page, '', `${machineOf(report)}\n\n${tableOf(report.results)}`)

/** Puts the table of another command than the benches in its place. */
export const writeTableOf = (page: URL, command: string, content: string): Promise<void> =>
  writePlace(page, '', content, command)

/** Puts the table of `scale`, `import`, `idle` or `measureReconnects` in its place. */
export const writeNamed = (page: URL, name: string, content: string): Promise<void> =>
  writePlace(page, `${name} `, content)
