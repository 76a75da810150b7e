/**
 * Arrays as Postgres reads them from text. Batches are columns of thousands of values, and the
 * driver runs two regular expressions over each of them.
 */

/** An array literal; undefined for arrays of other things, which the driver knows how to write. */
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

/** The parameters of a statement, with arrays as text. */
export const withArrayText = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? (arrayText(value) ?? value) : value))
