/** The `filter` of a list: its parameter, and its refusal. Each list says which fields it has. */
import Type from 'typebox'
import { invalid } from '../errors.ts'
import { FILTER_LIMITS, FilterError } from '../lib/filter-grammar.ts'
import { type ListFields, type ListNode, readListFilter } from '../lib/list-filter.ts'

/** @param fields as they stand in the filter. */
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

/** @throws Failure invalid_request that says where in the filter what was expected. */
export function readFilterOf(text: string | undefined, fields: ListFields): ListNode | undefined {
  if (text === undefined) return undefined
  try {
    return readListFilter(text, fields)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw invalid('/query/filter', `can not be read ${error.message}`)
  }
}
