/** The cost of each kill, as a Markdown table: the median, and the worst. */
import { plainTable } from '../support/plain-table.ts'
import type { Outage } from './load.ts'

const HEADINGS = [
  'killed',
  'kills',
  'no registration for',
  'no read for',
  'requests to repeat',
  'devices disconnected',
  'all devices back after',
]

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)
const median = (values: readonly number[]): number =>
  sorted(values)[Math.floor(values.length / 2)] ?? 0

const seconds = (values: readonly number[]): string =>
  `${(median(values) / 1_000).toFixed(2)} s; ${(Math.max(...values) / 1_000).toFixed(2)} s`
const counts = (values: readonly number[]): string => `${median(values)}; ${Math.max(...values)}`

function rowOf(name: string, outages: readonly Outage[]): string[] {
  const of = (member: keyof Outage): number[] => outages.map((outage) => outage[member])
  return [
    name,
    String(outages.length),
    seconds(of('writesMs')),
    seconds(of('readsMs')),
    counts(of('failedRequests')),
    counts(of('disconnected')),
    seconds(of('backMs')),
  ]
}

export function outageTable(outages: ReadonlyMap<string, readonly Outage[]>): string {
  const measured = [...outages].filter(([, each]) => each.length > 0)
  const rows = measured.map(([name, each]) => rowOf(name, each))
  return plainTable([HEADINGS, ...rows])
}
