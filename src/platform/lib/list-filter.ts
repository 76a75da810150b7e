/**
 * Filters of ordinary lists: fields are data against which a filter is checked. Lists of devices
 * have a richer filter of their own.
 */
import { canonicalJson } from './canonical-json.ts'
import { type Comparison, FilterError, type FilterTree, parseFilter } from './filter-grammar.ts'
import { type IdPrefix, parseId } from './ids.ts'
import { parseTimeOrDay } from './time.ts'

export interface ListField {
  /**
   * `word` is one of `words`; `text` also supports prefixes and presence; `set` has several texts
   * and is asked whether it contains one.
   */
  type: 'text' | 'time' | 'word' | 'id' | 'set'
  words?: readonly string[]
  /** Of an `id`. */
  prefix?: IdPrefix
}

export type ListFields = Readonly<Record<string, ListField>>

export type ListOrder = '<' | '<=' | '>' | '>='
export type ListTest = '=' | 'prefix' | 'present' | 'has' | ListOrder

export type ListNode =
  | { kind: 'and' | 'or'; parts: readonly ListNode[] }
  | { kind: 'not'; part: ListNode }
  /** Times are RFC 3339, ids are UUIDs. */
  | { kind: 'is'; field: string; test: ListTest; value: string }

function readTime({ value, at }: Comparison): string {
  const ms = value.match === 'exact' ? parseTimeOrDay(value.text) : undefined
  if (ms === undefined) throw new FilterError(at, 'a time such as 2026-01-31T08:00:00Z, or a day')
  return new Date(ms).toISOString()
}

const operators = {
  text: '= != :',
  time: '< <= > >=',
  word: '= !=',
  id: '= !=',
  set: ':',
} as const

function readId({ value, at }: Comparison, prefix: IdPrefix): string {
  const id = value.match === 'exact' ? parseId(prefix, value.text) : undefined
  if (id === undefined) throw new FilterError(at, `as its value an id, ${prefix}_…`)
  return id
}

function readText({ operator, value, at }: Comparison): [ListTest, string] {
  if (operator === ':' && value.match === 'any') return ['present', '']
  if (operator !== ':' && value.match === 'exact') return ['=', value.text]
  if (operator !== ':' && value.match === 'prefix') return ['prefix', value.text]
  throw new FilterError(at, 'as its value a text, optionally with a * at its end, or * after :')
}

function readMember({ value, at }: Comparison): string {
  if (value.match === 'exact') return value.text
  throw new FilterError(at, 'as its value a text without a *')
}

function readTest(comparison: Comparison, field: ListField): ListNode {
  const { field: name, operator, value, at } = comparison
  const is = (test: ListTest, text: string): ListNode => ({
    kind: 'is',
    field: name,
    test,
    value: text,
  })
  if (!operators[field.type].split(' ').includes(operator)) {
    throw new FilterError(at, `one of the operators of this field, ${operators[field.type]}`)
  }
  if (field.type === 'time') return is(operator as ListOrder, readTime(comparison))
  if (field.type === 'word') {
    const words = field.words ?? []
    if (value.match === 'exact' && words.includes(value.text)) return is('=', value.text)
    throw new FilterError(at, `as its value one of ${words.join(', ')}`)
  }
  if (field.prefix !== undefined) return is('=', readId(comparison, field.prefix))
  if (field.type === 'set') return is('has', readMember(comparison))
  return is(...readText(comparison))
}

function readNode(tree: FilterTree, fields: ListFields): ListNode {
  if (tree.kind === 'not') return { kind: 'not', part: readNode(tree.part, fields) }
  if (tree.kind !== 'comparison') {
    return { kind: tree.kind, parts: tree.parts.map((part) => readNode(part, fields)) }
  }
  const field = Object.hasOwn(fields, tree.field) ? fields[tree.field] : undefined
  if (field === undefined) {
    throw new FilterError(tree.at, `one of the fields ${Object.keys(fields).join(', ')}`)
  }
  const node = readTest(tree, field)
  return tree.operator === '!=' ? { kind: 'not', part: node } : node
}

/** @throws FilterError */
export const readListFilter = (text: string, fields: ListFields): ListNode =>
  readNode(parseFilter(text), fields)

/** Equal text for equivalent filters; cursors are bound to it. */
export const fingerprintOf = (node: ListNode | undefined): string => canonicalJson(node ?? null)

/**
 * A filter that additionally requires fields to equal the given values; undefined ones are skipped.
 */
export function requireEqual(
  node: ListNode | undefined,
  values: Readonly<Record<string, string | undefined>>,
): ListNode | undefined {
  const parts: ListNode[] = Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [{ kind: 'is', field, test: '=', value }],
  )
  if (node !== undefined) parts.push(node)
  return parts.length > 1 ? { kind: 'and', parts } : parts[0]
}

/**
 * A filter in which equality tests of one field ask for another value, for lists that show another
 * value than they store. Null: no row has it.
 */
export function translateEqual(
  node: ListNode,
  field: string,
  stored: (shown: string) => string | null,
): ListNode {
  if (node.kind === 'not') return { kind: 'not', part: translateEqual(node.part, field, stored) }
  if (node.kind !== 'is') {
    return { kind: node.kind, parts: node.parts.map((part) => translateEqual(part, field, stored)) }
  }
  if (node.field !== field || node.test !== '=') return node
  const value = stored(node.value)
  return value === null ? { kind: 'or', parts: [] } : { ...node, value }
}
