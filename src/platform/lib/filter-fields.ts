/** Kinds of fields that a filter can name: their operators, and how their values are read. */
import { type Comparison, FilterError, type Operator } from './filter-grammar.ts'
import { type FilterNode, is, negated, type Order, type Test } from './filter-node.ts'
import { type IdPrefix, parseId } from './ids.ts'
import { parseTimeOrDay } from './time.ts'

/** Where a value may have a `*`: `begin*`, `*end`, or alone after `:`, for any value. */
export type Wildcard = 'prefix' | 'suffix' | 'any'

export interface FilterField {
  type: 'text' | 'time' | 'word' | 'boolean' | 'id' | 'set' | 'scalar'
  /** All values, if they are few. */
  values?: readonly string[]
  /** The prefix of an `id`. */
  prefix?: IdPrefix
  wildcards?: readonly Wildcard[]
  operators: readonly Operator[]
  /** The valid values, completing "must be". */
  expected: string
  /** Reads `=`, also for `!=`. Undefined: the value is not valid. */
  read(comparison: Comparison): FilterNode | undefined
}

export const ORDERS = ['<', '<=', '>', '>='] as const
export const isOrder = (test: string): test is Order => ORDERS.includes(test as Order)

/** The description of a field for clients, so that an editor can offer what may come next. */
export interface FilterFieldForm {
  name: string
  /** The pattern of the names, if it describes several fields. */
  pattern?: string
  type: FilterField['type']
  operators: readonly Operator[]
  values?: readonly string[]
  id_prefix?: IdPrefix
  wildcards?: readonly Wildcard[]
}

export const formOf = (name: string, field: FilterField, pattern?: string): FilterFieldForm => ({
  name,
  ...(pattern !== undefined && { pattern }),
  type: field.type,
  operators: field.operators,
  ...(field.values && { values: field.values }),
  ...(field.prefix && { id_prefix: field.prefix }),
  ...(field.wildcards && { wildcards: field.wildcards }),
})

/** The test of a text, if there is one of this operator with this value. */
export function textTest({ operator, value: { match } }: Comparison): Test | undefined {
  if (isOrder(operator)) return match === 'exact' ? operator : undefined
  if (operator === ':') return match === 'any' ? 'present' : undefined
  if (match === 'any') return undefined
  return match === 'exact' ? '=' : match
}

const OPERATORS: readonly (Operator & (Test | '!=' | ':'))[] = ['=', '!=', ...ORDERS, ':']

const wildcardOf: Partial<Record<Test, Wildcard>> = {
  prefix: 'prefix',
  suffix: 'suffix',
  present: 'any',
}

const listed = (words: readonly string[]): string =>
  words.join(', ').replace(/, ([^,]+)$/, ' or $1')

export const textField = (tests: readonly Test[], values: string): FilterField => ({
  type: 'text',
  wildcards: tests.flatMap((test) => wildcardOf[test] ?? []),
  operators: OPERATORS.filter(
    (each) => each === '!=' || tests.includes(each === ':' ? 'present' : each),
  ),
  expected: values,
  read(comparison) {
    const test = textTest(comparison)
    return test && tests.includes(test)
      ? is(comparison.field, test, comparison.value.text)
      : undefined
  },
})

/** The words of a filter for any value. */
const presence = (isPresent: boolean): Pick<FilterField, 'wildcards'> =>
  isPresent ? { wildcards: ['any'] } : {}

const withPresence = (operators: readonly Operator[], isPresent: boolean): Operator[] => [
  ...operators,
  ...(isPresent ? ([':'] as const) : []),
]

export const wordField = (words: readonly string[]): FilterField => ({
  type: 'word',
  values: words,
  operators: ['=', '!='],
  expected: listed(words),
  read: ({ field, value: { text, match } }) =>
    match === 'exact' && words.includes(text) ? is(field, '=', text) : undefined,
})

export const timeField = (expected: string, isPresent = false): FilterField => ({
  type: 'time',
  ...presence(isPresent),
  operators: withPresence(ORDERS, isPresent),
  expected,
  read({ field, operator, value: { text, match } }) {
    if (!isOrder(operator)) return match === 'any' ? is(field, 'present') : undefined
    const ms = match === 'exact' ? parseTimeOrDay(text) : undefined
    return ms === undefined ? undefined : is(field, operator, new Date(ms).toISOString())
  },
})

export const idField = (prefix: IdPrefix, values: string, isPresent = false): FilterField => ({
  type: 'id',
  prefix,
  ...presence(isPresent),
  operators: withPresence(['=', '!='], isPresent),
  expected: values,
  read({ field, operator, value: { text, match } }) {
    if (operator === ':') return match === 'any' ? is(field, 'present') : undefined
    const id = match === 'exact' ? parseId(prefix, text) : undefined
    return id === undefined ? undefined : is(field, '=', id)
  },
})

/** Several texts, of which one is asked for. */
export const setField: FilterField = {
  type: 'set',
  operators: [':'],
  expected: 'a text without a *',
  read: ({ field, value: { text, match } }) =>
    match === 'exact' ? is(field, 'has', text) : undefined,
}

/**
 * @param names of all fields; the name of another one is user input
 * @throws FilterError at the wrong part, with the valid fields, operators or values
 */
export function readComparison(
  comparison: Comparison,
  field: FilterField | undefined,
  names: readonly string[],
): FilterNode {
  const { operator, at } = comparison
  if (field === undefined) {
    throw new FilterError(at.field, `there is no such field; the fields are ${names.join(', ')}`)
  }
  const name = names.includes(comparison.field) ? comparison.field : undefined
  if (!field.operators.includes(operator)) {
    const reason = `${name ?? 'this field'} can only be compared with ${listed(field.operators)}`
    throw new FilterError(at.operator, reason)
  }
  const node = field.read(comparison)
  if (node === undefined) {
    throw new FilterError(at.value, `${name ?? 'the value'} must be ${field.expected}`)
  }
  return operator === '!=' ? negated(node) : node
}
