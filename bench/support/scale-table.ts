/** The table of a `scale` run. */
import type { ScaleResult } from '../scale.ts'

const grouped = (count: number): string => count.toLocaleString('en-US')

/** What a page may cost at the largest fleet, against the smallest. */
const MOST = 1.2

/** A Markdown table: milliseconds at each size, the ratio of the last to the first, the plan. */
export function scaleTable({ sizes, rows }: ScaleResult): string {
  const headings = ['', ...sizes.map((size) => `${grouped(size)}, ms`), 'ratio', '', 'reads']
  const lines = rows.map(({ name, medians, plan }) => {
    const ratio = (medians.at(-1) ?? 0) / (medians[0] ?? 1)
    const outcome = ratio <= MOST ? 'kept' : 'above'
    const shown = plan === '' ? '' : `\`${plan}\``
    const label = plan === '' ? name : `\`${name}\``
    return [label, ...medians.map((ms) => ms.toFixed(2)), ratio.toFixed(2), outcome, shown]
  })
  const table = [headings, headings.map(() => '---'), ...lines]
  return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export const loadingLine = ({ sizes, loading }: ScaleResult): string =>
  `Loading took ${sizes
    .map((size, at) => `${grouped(size)} devices ${Math.round(loading[at] ?? 0)} s`)
    .join(', ')}.`
