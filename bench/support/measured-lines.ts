/** Lines of a table: measured values, against an aim. */
import { plainTable } from './plain-table.ts'

export interface Line {
  what: string
  measured: string
  aim: string
  outcome: string
}

export const kept = (what: string, measured: string, aim: string, isKept: boolean): Line => ({
  what,
  measured,
  aim,
  outcome: isKept ? 'kept' : 'above',
})

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Kept if the worst of the times is. */
export function timeLine(what: string, times: readonly number[], aimMs: number): Line {
  const [median, max] = [medianOf(times), Math.max(...times)]
  const measured = `${median.toFixed(0)} ms (at most ${max.toFixed(0)})`
  const line = kept(what, measured, `${aimMs} ms`, max <= aimMs)
  return max > aimMs && median <= aimMs ? { ...line, outcome: 'the median is kept' } : line
}

const inKilobytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`

export const sizeLine = (what: string, bytes: number, aim: number): Line =>
  kept(what, inKilobytes(bytes), inKilobytes(aim), bytes <= aim)

export function linesTable(lines: readonly Line[]): string {
  const cells = lines.map(({ what, measured, aim, outcome }) => [what, measured, aim, outcome])
  return plainTable([['', 'measured', 'aim', ''], ...cells])
}
