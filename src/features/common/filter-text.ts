/** The `filter` parameter of lists, and its errors. Each list declares its own fields. */
import Type from 'typebox'
import { invalid } from '../../platform/errors/errors.ts'
import { FILTER_LIMITS, FilterError } from '../../platform/lib/filter-grammar.ts'
import {
  type ListField,
  type ListFields,
  type ListNode,
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

/** @param fields the fields that the filter may name */
export const FilterText = (fields: ListFields) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: FILTER_LIMITS.length,
      description: [
        'Comparisons with AND, OR, NOT and parentheses, of the fields:',
        '',
        ...Object.entries(fields).map(([name, field]) => `- \`${name}\`: ${kindOf(field)}`),
      ].join('\n'),
    }),
  )

/** @throws Failure invalid_request saying at which position what was expected */
export function readFilterOf(text: string | undefined, fields: ListFields): ListNode | undefined {
  if (text === undefined) return undefined
  try {
    return readListFilter(text, fields)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw invalid('/query/filter', `cannot be parsed ${error.message}`)
  }
}
