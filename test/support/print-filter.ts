/** Writes filters as text, for tests that make filters and read them again. */
import type { FilterTree, FilterValue } from '../../src/platform/lib/filter-grammar.ts'

const escape = (text: string): string => text.replaceAll(/["\\*]/g, (found) => `\\${found}`)

function printValue({ text, isQuoted, match }: FilterValue): string {
  if (match === 'any') return isQuoted ? '"*"' : '*'
  const whole = `${match === 'suffix' ? '*' : ''}${escape(text)}${match === 'prefix' ? '*' : ''}`
  const isBare = !isQuoted && /^[^\s()"'\\\u0000-\u001f]+$/.test(whole)
  return isBare ? whole : `"${whole}"`
}

/** The canonical text of a tree: parsing it gives the same tree, except for offsets. */
export function printFilter(tree: FilterTree): string {
  const inside = (part: FilterTree): string =>
    part.kind === 'and' || part.kind === 'or' ? `(${printFilter(part)})` : printFilter(part)
  if (tree.kind === 'comparison') return `${tree.field} ${tree.operator} ${printValue(tree.value)}`
  if (tree.kind === 'not') return `NOT ${inside(tree.part)}`
  return tree.parts.map(inside).join(` ${tree.kind.toUpperCase()} `)
}
