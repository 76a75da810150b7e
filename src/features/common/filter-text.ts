/** The `filter` parameter of lists, and its errors. Each list declares its own fields. */
import Type from 'typebox'
import { invalid } from '../../platform/errors/errors.ts'
import { FILTER_LIMITS, FilterError } from '../../platform/lib/filter-grammar.ts'
import type { FilterNode } from '../../platform/lib/filter-node.ts'
import type { FilterFieldForm } from '../../platform/lib/filter-fields.ts'
import {
  formsOf,
  type ListField,
  type ListFields,
  readListFilter,
} from '../../platform/lib/list-filter.ts'

const kinds = {
  text: '`=`, `!=` with a text or `"begin*"`, `:*`',
  time: '`<`, `<=`, `>`, `>=` with a time or a day',
  set: '`:` with a text that it contains',
} as const

/** The operators and values of a field. */
function kindOf({ type, words = [], prefix }: ListField): string {
  if (type === 'id') return `\`=\`, \`!=\` with an id, \`${prefix ?? ''}_…\``
  if (type === 'word')
    return `\`=\`, \`!=\` with one of ${words.map((word) => `\`${word}\``).join(', ')}`
  return kinds[type]
}

/**
 * A filter whose fields are part of the API document, as data.
 * @param forms of the fields that the filter may name
 */
export const FilterOf = (forms: readonly FilterFieldForm[], description: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: FILTER_LIMITS.length, description, 'x-filter': forms }),
  )

/** @param fields the fields that the filter may name */
export const FilterText = (fields: ListFields) =>
  FilterOf(
    formsOf(fields),
    [
      'Comparisons with AND, OR, NOT and parentheses, of the fields:',
      '',
      ...Object.entries(fields).map(([name, field]) => `- \`${name}\`: ${kindOf(field)}`),
    ].join('\n'),
  )

/** A 400 that points at the filter and the position in it; other errors as they are. */
export const filterFailure = (error: unknown, pointer: string): unknown =>
  error instanceof FilterError ? invalid(pointer, `cannot be read ${error.message}`) : error

/**
 * @param pointer where the filter is in the request
 * @throws Failure invalid_request saying at which position what was expected
 */
export function readFilterOf(text: string, fields: ListFields, pointer: string): FilterNode {
  try {
    return readListFilter(text, fields)
  } catch (error) {
    throw filterFailure(error, pointer)
  }
}
