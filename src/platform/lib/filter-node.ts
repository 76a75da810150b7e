/** A filter whose fields and values have been read: predicates, joined by AND and OR. */
import { canonicalJson } from './canonical-json.ts'

export type Order = '<' | '<=' | '>' | '>='

/** `has`: one of several texts is the value; `has-prefix`: one of them starts with it. */
export type Test = '=' | 'prefix' | 'suffix' | 'present' | 'has' | 'has-prefix' | Order

export interface Predicate {
  field: string
  test: Test
  /** Times are RFC 3339, ids are UUIDs; empty for `present`. */
  value: string
  /** The type of the value, for fields that have values of several types. */
  type?: 'text' | 'number' | 'boolean'
}

/** Negation occurs only at predicates. */
export type FilterNode =
  | { kind: 'and' | 'or'; parts: readonly FilterNode[] }
  | (Predicate & { kind: 'is'; isNegated?: true })

export const is = (field: string, test: Test, value = ''): FilterNode & Predicate => ({
  kind: 'is',
  field,
  test,
  value,
})

export const allOf = (parts: readonly FilterNode[]): FilterNode | undefined =>
  parts.length > 1 ? { kind: 'and', parts } : parts[0]

export function negated(node: FilterNode): FilterNode {
  if (node.kind !== 'is') {
    return { kind: node.kind === 'and' ? 'or' : 'and', parts: node.parts.map(negated) }
  }
  const { isNegated, ...positive } = node
  return isNegated ? positive : { ...positive, isNegated: true }
}

/** Equal text for equal filters; cursors are bound to it. */
export const fingerprintOf = (node: FilterNode | undefined): string => canonicalJson(node ?? null)
