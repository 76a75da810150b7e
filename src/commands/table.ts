/** Tables: aligned columns for a terminal, Markdown for docs. */

export type Row = readonly string[]

/** Columns as wide as their widest cell, separated by two spaces. */
export function inColumns(head: Row, rows: readonly Row[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const line = (row: Row): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return all.map(line).join('\n')
}

/** A GitHub-flavoured Markdown table; cells are Markdown already. */
export function inMarkdown(head: Row, rows: readonly Row[]): string {
  const line = (row: Row): string =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
