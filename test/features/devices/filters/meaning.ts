/** The meaning of a filter, implemented once more without any database. */
import type { Comparison, FilterTree } from '../../../../src/platform/lib/filter-grammar.ts'
import { parseId } from '../../../../src/platform/lib/ids.ts'
import type { ModelDevice } from './devices-and-filters.ts'

const compare = (left: number, operator: string, right: number): boolean =>
  operator === '<'
    ? left < right
    : operator === '<='
      ? left <= right
      : operator === '>'
        ? left > right
        : left >= right

function textPasses(text: string | null | undefined, { operator, value }: Comparison): boolean {
  if (text === null || text === undefined) return false
  if (value.match === 'any') return true
  if (operator !== '=' && operator !== '!=') {
    return compare(Buffer.compare(Buffer.from(text), Buffer.from(value.text)), operator, 0)
  }
  if (value.match === 'prefix') return text.startsWith(value.text)
  return value.match === 'suffix' ? text.endsWith(value.text) : text === value.text
}

function wordsPass({ name, device_key }: ModelDevice, { value }: Comparison): boolean {
  const split = (text: string): string[] =>
    text.toLowerCase().match(/[a-z0-9\u0080-\uffff]+/g) ?? []
  const words = name === device_key ? [] : split(name)
  const wanted = split(value.text)
  return wanted.every((word, index) =>
    value.match === 'prefix' && index === wanted.length - 1
      ? words.some((each) => each.startsWith(word))
      : words.includes(word),
  )
}

function fieldPasses(field: unknown, comparison: Comparison): boolean {
  const { operator, value } = comparison
  if (field === null || field === undefined) return false
  if (operator === ':') return true
  const isBare = !value.isQuoted
  if (isBare && (value.text === 'true' || value.text === 'false')) {
    return field === (value.text === 'true')
  }
  if (isBare) {
    if (typeof field !== 'number') return false
    const number = Number(value.text)
    return operator === '=' || operator === '!='
      ? field === number
      : compare(field, operator, number)
  }
  return typeof field === 'string' && textPasses(field, comparison)
}

const timePasses = (time: number | null | undefined, { operator, value }: Comparison): boolean =>
  time !== null &&
  time !== undefined &&
  (value.match === 'any' || compare(time, operator, Date.parse(value.text)))

/** The meaning of `=`; `!=` is its opposite. */
function comparisonPasses(device: ModelDevice, comparison: Comparison): boolean {
  const { field, value, operator } = comparison
  const truth = value.text === 'true'
  if (field.startsWith('tags.')) return textPasses(device.tags[field.slice(5)], comparison)
  if (field.startsWith('custom_fields.')) {
    return fieldPasses(device.custom_fields[field.slice(14)], comparison)
  }
  switch (field) {
    case 'id':
      return device.id === parseId('dev', value.text)
    case 'device_key':
      return textPasses(device.device_key, comparison)
    case 'hardware_id':
      return textPasses(device.hardware_id, comparison)
    case 'name':
      if (operator === ':') return wordsPass(device, comparison)
      return textPasses(device.name.toLowerCase(), {
        ...comparison,
        value: { ...value, text: value.text.toLowerCase() },
      })
    case 'status':
      return device.status === value.text
    case 'approval':
      return device.approval === value.text
    case 'template_id':
      return value.match === 'any'
        ? device.template !== null
        : device.template === parseId('tpl', value.text)
    case 'connected':
      return (device.presence?.connected ?? false) === truth
    case 'claimed':
      return (device.claimed_at !== null) === truth
    case 'created_at':
      return timePasses(device.created_at, comparison)
    case 'claimed_at':
      return timePasses(device.claimed_at, comparison)
    case 'last_seen_at':
      return timePasses(device.presence?.last_seen_at, comparison)
    default:
      return device.groups.includes(parseId('grp', value.text) as string)
  }
}

export function passes(device: ModelDevice, tree: FilterTree): boolean {
  switch (tree.kind) {
    case 'and':
      return tree.parts.every((part) => passes(device, part))
    case 'or':
      return tree.parts.some((part) => passes(device, part))
    case 'not':
      return !passes(device, tree.part)
    default:
      return comparisonPasses(device, tree) !== (tree.operator === '!=')
  }
}
