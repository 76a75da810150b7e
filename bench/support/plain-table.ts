/** Tables of Markdown. */

export const grouped = (count: number): string => Math.round(count).toLocaleString('en-US')

/** @param rows the first one has the headings */
export function plainTable([headings = [], ...rows]: readonly string[][]): string {
  const lines = [headings, headings.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
