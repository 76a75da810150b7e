/** Drivers on the label table: tags, custom fields and words of names. */
import { type Bound, LAST, textValue } from './conditions-store.ts'
import type { Atom, ScalarMatch, TextMatch } from './device-filter-atoms.ts'
import { columnPin, type Driver, type Value } from './driver-store.ts'

/** A device is listed at its first label within the bounds. */
const firstLabel =
  (bounds: readonly Bound[]): Value =>
  (parameters) => {
    const within = bounds.map(({ order, value }) => ` AND l.label ${order} ${value(parameters)}`)
    return `(SELECT min(l.label COLLATE "C")
      FROM device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS l (label)
      WHERE true${within.join('')})`
  }

const label = (prefix: string, text: string, isLower = false): Value =>
  textValue(prefix + text, isLower)

interface LabelRange {
  /** The prefix of the labels. */
  prefix: string
  bounds: readonly Bound[]
  isExact: boolean
  isRepeated?: boolean
}

function labelRange(atom: Atom, range: LabelRange): Driver {
  const { bounds, isRepeated = false } = range
  const key = {
    column: 'label',
    cast: 'text',
    isUnique: false,
    ofDevice: firstLabel(bounds),
    isRepeated,
  } as const
  const { prefix, isExact } = range
  return { source: prefix, table: 'device_labels', key, bounds, isExact, rank: 4, atoms: [atom] }
}

/** Labels are truncated to this length. */
const LABEL_LENGTH = 256

const beginsWith = (text: string, isLower = false): readonly Bound[] => [
  { order: '>=', value: textValue(text, isLower) },
  { order: '<', value: textValue(text + LAST, isLower) },
]

export function tagDriver(atom: Atom, tag: string, match: TextMatch): Driver {
  const prefix = `t:${tag}=`
  const text = 'text' in match ? match.text : ''
  const isExact = text.length < LABEL_LENGTH
  if (match.is === 'equal') {
    return { ...columnPin(atom, 2, 'device_labels', 'label', label(prefix, text)), isExact }
  }
  return labelRange(atom, { prefix, bounds: beginsWith(prefix + text), isExact })
}

const number =
  (prefix: string, text: string): Value =>
  (parameters) =>
    `(${parameters.add(`${prefix}n`)}::text || device_label_number(${parameters.add(text)}::numeric)) COLLATE "C"`

function numberBounds(prefix: string, order: Bound['order'], text: string): readonly Bound[] {
  const [low, high] = beginsWith(`${prefix}n`) as [Bound, Bound]
  // Labels are less precise than numbers: values equal to the bound are checked again.
  const bound = number(prefix, text)
  return order === '<' || order === '<='
    ? [low, { order: '<=', value: bound }]
    : [{ order: '>=', value: bound }, high]
}

export function customFieldDriver(atom: Atom, name: string, match: ScalarMatch): Driver {
  const prefix = `c:${name}=`
  const pin = (value: Value, isExact: boolean): Driver => ({
    ...columnPin(atom, 2, 'device_labels', 'label', value),
    isExact,
  })
  switch (match.is) {
    case 'text':
      return pin(label(`${prefix}s`, match.text), match.text.length < LABEL_LENGTH)
    case 'boolean':
      return pin(label(`${prefix}b`, String(match.value)), true)
    case 'number':
      return pin(number(prefix, match.text), false)
    case 'compare': {
      const bounds = numberBounds(prefix, match.order, match.text)
      return labelRange(atom, { prefix, bounds, isExact: false })
    }
    case 'prefix': {
      const bounds = beginsWith(`${prefix}s${match.text}`)
      return labelRange(atom, { prefix, bounds, isExact: match.text.length < LABEL_LENGTH })
    }
    default:
      return labelRange(atom, { prefix, bounds: beginsWith(prefix), isExact: true })
  }
}

export function wordDriver(atom: Atom, word: string, isPrefix: boolean): Driver {
  const prefix = `w:${word}`
  if (!isPrefix) return columnPin(atom, 2, 'device_labels', 'label', label('w:', word, true))
  const bounds = beginsWith(prefix, true)
  return labelRange(atom, { prefix, bounds, isExact: false, isRepeated: true })
}
