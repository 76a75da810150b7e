/** The filter fields of devices, with their operators and values. */
import {
  type Comparison,
  FilterError,
  type FilterValue,
  type Operator,
} from '../../../platform/lib/filter-grammar.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { parseTimeOrDay } from '../../../platform/lib/time.ts'
import {
  allOf,
  type Atom,
  atomNode,
  type FilterNode,
  isDeviceApproval,
  isDeviceStatus,
  negated,
  type Order,
  type ScalarMatch,
  type TextMatch,
} from './device-filter-atoms.ts'

interface Field {
  operators: readonly Operator[]
  /** The valid values, completing "expected". */
  values: string
  /** Interprets `=`, also for `!=`. Undefined: the value is invalid for the field. */
  read(comparison: Comparison): Atom | FilterNode | undefined
}

const ORDERS = ['<', '<=', '>', '>='] as const
const isOrder = (operator: Operator): operator is Order => ORDERS.includes(operator as Order)

function textMatch({ operator, value }: Comparison): TextMatch | undefined {
  const { text, match } = value
  if (isOrder(operator)) {
    return match === 'exact' ? { is: 'compare', order: operator, text } : undefined
  }
  if (match === 'any') return operator === ':' ? { is: 'present' } : undefined
  if (operator === ':') return undefined
  return { is: match === 'exact' ? 'equal' : match, text }
}

/** A text field, with the matches that it supports. */
const textField = (
  ways: readonly TextMatch['is'][],
  operators: readonly Operator[],
  values: string,
  atom: (match: TextMatch) => Atom,
): Field => ({
  operators,
  values,
  read(comparison) {
    const match = textMatch(comparison)
    return match && ways.includes(match.is) ? atom(match) : undefined
  },
})

const booleanOf = ({ text, match }: FilterValue): boolean | undefined =>
  match === 'exact' && (text === 'true' || text === 'false') ? text === 'true' : undefined

const booleanField = (on: 'connected' | 'claimed'): Field => ({
  operators: ['=', '!='],
  values: 'true or false',
  read({ value }) {
    const is = booleanOf(value)
    return is === undefined ? undefined : { on, value: is }
  },
})

const timeField = (on: 'created_at' | 'claimed_at' | 'last_seen_at', present?: Atom): Field => ({
  operators: present ? [...ORDERS, ':'] : ORDERS,
  values: `a time such as 2026-01-31T08:00:00Z, or a day${present ? ', or * after :' : ''}`,
  read({ operator, value }) {
    if (operator === ':') return value.match === 'any' ? present : undefined
    const ms = value.match === 'exact' ? parseTimeOrDay(value.text) : undefined
    if (ms === undefined || !isOrder(operator)) return undefined
    return { on, order: operator, ms }
  },
})

const WORD_BREAK = /[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/u

/** Each word of the value must occur in the name; the last may be a prefix. */
function wordsOf({ text, match }: FilterValue): FilterNode | undefined {
  if (match === 'suffix' || match === 'any') return undefined
  const words = text.split(WORD_BREAK).filter((word) => word !== '')
  return allOf(
    words.map((word, index) => {
      const isPrefix = match === 'prefix' && index === words.length - 1
      return atomNode({ on: 'word', word, isPrefix })
    }),
  )
}

const nameByText = textField(['equal', 'prefix'], [], '', (match) => ({ on: 'name', match }))

const fields: Readonly<Record<string, Field>> = {
  id: {
    operators: ['=', '!='],
    values: 'the id of a device, dev_…',
    read({ value }) {
      const id = value.match === 'exact' ? parseId('dev', value.text) : undefined
      return id === undefined ? undefined : { on: 'id', id }
    },
  },
  device_key: textField(
    ['equal', 'prefix', 'suffix', 'compare'],
    ['=', '!=', ...ORDERS],
    'a key, with a * at its beginning or end for keys that end or begin so',
    (match) => ({ on: 'device_key', match }),
  ),
  hardware_id: textField(
    ['equal', 'prefix', 'present'],
    ['=', '!=', ':'],
    'a hardware id, optionally with a * at its end, or * after :',
    (match) => ({ on: 'hardware_id', match }),
  ),
  name: {
    operators: ['=', '!=', ':'],
    values: 'a name or words of it, optionally with a * at the end',
    read: (comparison) =>
      comparison.operator === ':' ? wordsOf(comparison.value) : nameByText.read(comparison),
  },
  status: {
    operators: ['=', '!='],
    values: 'registered, active, suspended or decommissioned',
    read: ({ value: { text, match } }) =>
      match === 'exact' && isDeviceStatus(text) ? { on: 'status', status: text } : undefined,
  },
  approval: {
    operators: ['=', '!='],
    values: 'approved, pending or rejected',
    read: ({ value: { text, match } }) =>
      match === 'exact' && isDeviceApproval(text) ? { on: 'approval', approval: text } : undefined,
  },
  template_id: {
    operators: ['=', '!=', ':'],
    values: 'the id of a template, tpl_…, or * after :',
    read({ operator, value }) {
      if (operator === ':') return value.match === 'any' ? { on: 'template_present' } : undefined
      const id = value.match === 'exact' ? parseId('tpl', value.text) : undefined
      return id === undefined ? undefined : { on: 'template', id }
    },
  },
  connected: booleanField('connected'),
  claimed: booleanField('claimed'),
  created_at: timeField('created_at'),
  claimed_at: timeField('claimed_at', { on: 'claimed', value: true }),
  last_seen_at: timeField('last_seen_at', { on: 'seen' }),
}

const MEMBER_NAME = /^[A-Za-z0-9_.-]{1,64}$/

const tagField = (key: string): Field =>
  textField(
    ['equal', 'prefix', 'present'],
    ['=', '!=', ':'],
    'the value of a tag, optionally with a * at its end, or * after :',
    (match) => ({ on: 'tag', key, match }),
  )

const NUMBER = /^-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/

/** Unquoted values are numbers or booleans. */
function scalarMatch({ operator, value }: Comparison): ScalarMatch | undefined {
  const { text, isQuoted, match } = value
  if (operator === ':') return match === 'any' ? { is: 'present' } : undefined
  const isNumber = !isQuoted && match === 'exact' && NUMBER.test(text)
  if (isOrder(operator)) return isNumber ? { is: 'compare', order: operator, text } : undefined
  if (isNumber) return { is: 'number', text }
  const truth = isQuoted ? undefined : booleanOf(value)
  if (truth !== undefined) return { is: 'boolean', value: truth }
  if (match === 'prefix') return { is: 'prefix', text }
  return match === 'exact' ? { is: 'text', text } : undefined
}

const customField = (name: string): Field => ({
  operators: ['=', '!=', ...ORDERS, ':'],
  values: 'a number, true, false or a text, optionally with a * at its end; a number after < or >',
  read(comparison) {
    const match = scalarMatch(comparison)
    return match && { on: 'custom_field', name, match }
  },
})

function fieldOf(name: string): Field | undefined {
  if (Object.hasOwn(fields, name)) return fields[name]
  const dot = name.indexOf('.')
  const member = name.slice(dot + 1)
  if (dot < 0 || !MEMBER_NAME.test(member)) return undefined
  if (name.startsWith('tags.')) return tagField(member)
  return name.startsWith('custom_fields.') ? customField(member) : undefined
}

const names = [...Object.keys(fields), 'tags.<key>', 'custom_fields.<name>', 'group'].join(', ')

/** @throws FilterError listing the valid fields, operators or values */
export function readComparison(comparison: Comparison): FilterNode {
  const field = fieldOf(comparison.field)
  if (field === undefined) throw new FilterError(comparison.at, `one of the fields ${names}`)
  if (!field.operators.includes(comparison.operator)) {
    const operators = field.operators.join(' ')
    throw new FilterError(comparison.at, `one of the operators of this field, ${operators}`)
  }
  const meaning = field.read(comparison)
  if (meaning === undefined) throw new FilterError(comparison.at, `as its value ${field.values}`)
  const node = 'kind' in meaning ? meaning : atomNode(meaning)
  return comparison.operator === '!=' ? negated(node) : node
}
