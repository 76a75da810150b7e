/** Filters of lists whose fields are columns. The fields are data, which also describes them. */
import {
  type FilterField,
  type FilterFieldForm,
  formOf,
  idField,
  readComparison,
  setField,
  textField,
  timeField,
  wordField,
} from './filter-fields.ts'
import { type FilterTree, parseFilter } from './filter-grammar.ts'
import { allOf, type FilterNode, is, negated } from './filter-node.ts'
import type { IdPrefix } from './ids.ts'

export interface ListField {
  /**
   * `word` is one of `words`; `text` also supports prefixes and presence; `set` has several texts
   * and is asked whether it contains one.
   */
  type: 'text' | 'time' | 'word' | 'id' | 'set'
  words?: readonly string[]
  /** The prefix of an `id`. */
  prefix?: IdPrefix
}

export type ListFields = Readonly<Record<string, ListField>>

const textOfList = textField(
  ['=', 'prefix', 'present'],
  'a text, optionally with a * at its end, or * after :',
)
const timeOfList = timeField('a time such as 2026-01-31T08:00:00Z, or a day')

function fieldOf({ type, words = [], prefix }: ListField): FilterField {
  if (prefix !== undefined) return idField(prefix, `an id, ${prefix}_…`)
  if (type === 'word') return wordField(words)
  if (type === 'set') return setField
  return type === 'time' ? timeOfList : textOfList
}

/** The fields as they are described to clients. */
export const formsOf = (fields: ListFields): FilterFieldForm[] =>
  Object.entries(fields).map(([name, field]) => formOf(name, fieldOf(field)))

function readNode(tree: FilterTree, fields: ListFields): FilterNode {
  if (tree.kind === 'not') return negated(readNode(tree.part, fields))
  if (tree.kind !== 'comparison') {
    return { kind: tree.kind, parts: tree.parts.map((part) => readNode(part, fields)) }
  }
  const field = Object.hasOwn(fields, tree.field) ? fields[tree.field] : undefined
  return readComparison(tree, field && fieldOf(field), Object.keys(fields))
}

/** @throws FilterError */
export const readListFilter = (text: string, fields: ListFields): FilterNode =>
  readNode(parseFilter(text), fields)

/**
 * A filter that additionally requires fields to equal the given values; undefined ones are skipped.
 */
export function requireEqual(
  node: FilterNode | undefined,
  values: Readonly<Record<string, string | undefined>>,
): FilterNode | undefined {
  const parts = Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [is(field, '=', value)],
  )
  return allOf(node === undefined ? parts : [...parts, node])
}

/**
 * A filter in which equality tests of one field ask for another value, for lists that show another
 * value than they store. Null: no row has it.
 */
export function translateEqual(
  node: FilterNode,
  field: string,
  stored: (shown: string) => string | null,
): FilterNode {
  if (node.kind !== 'is') {
    return { kind: node.kind, parts: node.parts.map((part) => translateEqual(part, field, stored)) }
  }
  if (node.field !== field || node.test !== '=') return node
  const value = stored(node.value)
  if (value !== null) return { ...node, value }
  return { kind: node.isNegated ? 'and' : 'or', parts: [] }
}
