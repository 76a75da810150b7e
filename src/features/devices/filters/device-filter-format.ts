/** The filter fields of devices, with their operators and values. */
import {
  type FilterField,
  type FilterFieldForm,
  formOf,
  idField,
  isOrder,
  ORDERS,
  readComparison,
  textField,
  textTest,
  timeField,
  wordField,
} from '../../../platform/lib/filter-fields.ts'
import type { Comparison, FilterValue } from '../../../platform/lib/filter-grammar.ts'
import { allOf, type FilterNode, is, type Predicate } from '../../../platform/lib/filter-node.ts'

const WORD_BREAK = /[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/u

/** Each word of the value must occur in the name; the last may be a prefix. */
function wordsOf({ text, match }: FilterValue): FilterNode | undefined {
  if (match === 'suffix' || match === 'any') return undefined
  const words = text.split(WORD_BREAK).filter((word) => word !== '')
  return allOf(
    words.map((word, index) => {
      const isPrefix = match === 'prefix' && index === words.length - 1
      return is('name', isPrefix ? 'has-prefix' : 'has', word)
    }),
  )
}

const nameField = textField(
  ['=', 'prefix'],
  'a name or words of it, optionally with a * at the end',
)
const booleanField: FilterField = { ...wordField(['true', 'false']), type: 'boolean' }
const TIME = 'a time such as 2026-01-31T08:00:00Z, or a day'
const timeOrAny = timeField(`${TIME}, or * after :`, true)

const fields: Readonly<Record<string, FilterField>> = {
  id: idField('dev', 'the id of a device, dev_…'),
  device_key: textField(
    ['=', 'prefix', 'suffix', ...ORDERS],
    'a key, with a * at its beginning or end for keys that end or begin so',
  ),
  hardware_id: textField(
    ['=', 'prefix', 'present'],
    'a hardware id, optionally with a * at its end, or * after :',
  ),
  name: {
    ...nameField,
    operators: ['=', '!=', ':'],
    read: (comparison) =>
      comparison.operator === ':' ? wordsOf(comparison.value) : nameField.read(comparison),
  },
  status: wordField(['registered', 'active', 'suspended', 'decommissioned']),
  approval: wordField(['approved', 'pending', 'rejected']),
  template_id: idField('tpl', 'the id of a template, tpl_…, or * after :', true),
  connected: booleanField,
  claimed: booleanField,
  created_at: timeField(TIME),
  claimed_at: timeOrAny,
  last_seen_at: timeOrAny,
}

const MEMBER = '[A-Za-z0-9_.-]{1,64}'
const MEMBER_NAME = new RegExp(`^${MEMBER}$`)

const tagField = textField(
  ['=', 'prefix', 'present'],
  'the value of a tag, optionally with a * at its end, or * after :',
)

const NUMBER = /^-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/

/** Unquoted values are numbers or booleans. */
function readScalar(comparison: Comparison): (FilterNode & Predicate) | undefined {
  const { field, value } = comparison
  const test = textTest(comparison)
  if (test === undefined || test === 'suffix') return undefined
  const node = is(field, test, value.text)
  const isBare = !value.isQuoted && value.match === 'exact'
  if (isBare && NUMBER.test(value.text)) return { ...node, type: 'number' }
  if (isOrder(test)) return undefined
  const isBoolean = isBare && (value.text === 'true' || value.text === 'false')
  return { ...node, type: isBoolean ? 'boolean' : 'text' }
}

const customField: FilterField = {
  type: 'scalar',
  wildcards: ['prefix', 'any'],
  operators: ['=', '!=', ...ORDERS, ':'],
  expected:
    'a number, true, false or a text, optionally with a * at its end; a number after < or >',
  read: readScalar,
}

/** Whether a tag or a custom field of this name can be in a filter. */
export const isMemberName = (name: string): boolean => MEMBER_NAME.test(name)

function fieldOf(name: string): FilterField | undefined {
  if (Object.hasOwn(fields, name)) return fields[name]
  const dot = name.indexOf('.')
  if (dot < 0 || !isMemberName(name.slice(dot + 1))) return undefined
  if (name.startsWith('tags.')) return tagField
  return name.startsWith('custom_fields.') ? customField : undefined
}

/** Reads only ids; which group it is, is looked up. */
export const groupField = idField('grp', 'the id of a group of this workspace, grp_…')

/** The fields as they are described to clients. Tags and custom fields have names of their own. */
export const deviceFilterForms: readonly FilterFieldForm[] = [
  ...Object.entries(fields).map(([name, field]) => formOf(name, field)),
  formOf('tags.<key>', tagField, `^tags\\.${MEMBER}$`),
  formOf('custom_fields.<name>', customField, `^custom_fields\\.${MEMBER}$`),
  formOf('group', groupField),
]

const names = deviceFilterForms.map(({ name }) => name)

/** @throws FilterError listing the valid fields, operators or values */
export const readDeviceComparison = (comparison: Comparison): FilterNode =>
  readComparison(comparison, fieldOf(comparison.field), names)
