/**
 * Formats arrays as Postgres array literals. Batches are columns of thousands of values, and the
 * driver would run two regular expressions on each.
 */

/** An array literal; undefined for element types that are left to the driver. */
export function arrayText(values: readonly unknown[]): string | undefined {
  let text = ''
  for (const value of values) {
    const item = itemText(value)
    if (item === undefined) return undefined
    text += text === '' ? `{${item}` : `,${item}`
  }
  return text === '' ? '{}' : `${text}}`
}

function itemText(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' || typeof value === 'boolean') return `"${value}"`
  if (typeof value !== 'string') return undefined
  const plain = !value.includes('"') && !value.includes('\\')
  return plain ? `"${value}"` : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

/** The parameters of a statement, with arrays as literals. */
export const withArrayText = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? (arrayText(value) ?? value) : value))
