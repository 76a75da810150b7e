/** The `filter` parameter of lists, and its errors. Each list declares its own fields. */
import Type from 'typebox'
import { invalid } from '../errors.ts'
import { FILTER_LIMITS, FilterError } from '../lib/filter-grammar.ts'
import { type ListFields, type ListNode, readListFilter } from '../lib/list-filter.ts'

/** @param fields the fields that the filter may name */
export const FilterText = (fields: ListFields) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: FILTER_LIMITS.length,
      description: `Comparisons of the fields ${Object.keys(fields)
        .map((name) => `\`${name}\``)
        .join(', ')} with AND, OR, NOT and parentheses.`,
    }),
  )

/** @throws Failure invalid_request saying at which position what was expected */
export function readFilterOf(text: string | undefined, fields: ListFields): ListNode | undefined {
  if (text === undefined) return undefined
  try {
    return readListFilter(text, fields)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw invalid('/query/filter', `can not be read ${error.message}`)
  }
}
