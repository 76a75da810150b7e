/** Kinds of fields that a filter can name: their operators, and how their values are read. */
import { type Comparison, FilterError, type Operator } from './filter-grammar.ts'
import { type FilterNode, is, negated, type Order, type Test } from './filter-node.ts'
import { type IdPrefix, parseId } from './ids.ts'
import { parseTimeOrDay } from './time.ts'

export interface FilterField {
  operators: readonly Operator[]
  /** The valid values, completing "expected". */
  expected: string
  /** Reads `=`, also for `!=`. Undefined: the value is not valid. */
  read(comparison: Comparison): FilterNode | undefined
}

export const ORDERS = ['<', '<=', '>', '>='] as const
export const isOrder = (test: string): test is Order => ORDERS.includes(test as Order)

/** The test of a text, if there is one of this operator with this value. */
export function textTest({ operator, value: { match } }: Comparison): Test | undefined {
  if (isOrder(operator)) return match === 'exact' ? operator : undefined
  if (operator === ':') return match === 'any' ? 'present' : undefined
  if (match === 'any') return undefined
  return match === 'exact' ? '=' : match
}

const OPERATORS: readonly (Operator & (Test | '!=' | ':'))[] = ['=', '!=', ...ORDERS, ':']

export const textField = (tests: readonly Test[], values: string): FilterField => ({
  operators: OPERATORS.filter(
    (each) => each === '!=' || tests.includes(each === ':' ? 'present' : each),
  ),
  expected: `as its value ${values}`,
  read(comparison) {
    const test = textTest(comparison)
    return test && tests.includes(test)
      ? is(comparison.field, test, comparison.value.text)
      : undefined
  },
})

const presence = (isPresent: boolean): Operator[] => (isPresent ? [':'] : [])

export const wordField = (words: readonly string[], values: string): FilterField => ({
  operators: ['=', '!='],
  expected: `as its value ${values}`,
  read: ({ field, value: { text, match } }) =>
    match === 'exact' && words.includes(text) ? is(field, '=', text) : undefined,
})

export const timeField = (expected: string, isPresent = false): FilterField => ({
  operators: [...ORDERS, ...presence(isPresent)],
  expected,
  read({ field, operator, value: { text, match } }) {
    if (!isOrder(operator)) return match === 'any' ? is(field, 'present') : undefined
    const ms = match === 'exact' ? parseTimeOrDay(text) : undefined
    return ms === undefined ? undefined : is(field, operator, new Date(ms).toISOString())
  },
})

export const idField = (prefix: IdPrefix, values: string, isPresent = false): FilterField => ({
  operators: ['=', '!=', ...presence(isPresent)],
  expected: `as its value ${values}`,
  read({ field, operator, value: { text, match } }) {
    if (operator === ':') return match === 'any' ? is(field, 'present') : undefined
    const id = match === 'exact' ? parseId(prefix, text) : undefined
    return id === undefined ? undefined : is(field, '=', id)
  },
})

/** Several texts, of which one is asked for. */
export const setField: FilterField = {
  operators: [':'],
  expected: 'as its value a text without a *',
  read: ({ field, value: { text, match } }) =>
    match === 'exact' ? is(field, 'has', text) : undefined,
}

/**
 * @param names of all fields
 * @throws FilterError with the valid fields, operators or values
 */
export function readComparison(
  comparison: Comparison,
  field: FilterField | undefined,
  names: readonly string[],
): FilterNode {
  const { operator, at } = comparison
  if (field === undefined) throw new FilterError(at, `one of the fields ${names.join(', ')}`)
  if (!field.operators.includes(operator)) {
    const operators = field.operators.join(' ')
    throw new FilterError(at, `one of the operators of this field, ${operators}`)
  }
  const node = field.read(comparison)
  if (node === undefined) throw new FilterError(at, field.expected)
  return operator === '!=' ? negated(node) : node
}
