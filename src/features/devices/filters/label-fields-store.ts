/** Filter fields that are found in the table of labels: tags, custom fields and words of names. */
import {
  type Add,
  type Bound,
  columnCondition,
  type FieldSql,
  type IndexScan,
  pinScan,
  prefixBounds,
  type ScanKey,
  textValue,
  type Value,
  within,
} from '../../../platform/database/index-scan.ts'
import { isOrder } from '../../../platform/lib/filter-fields.ts'
import type { Order, Predicate } from '../../../platform/lib/filter-node.ts'

const labels = { name: 'device_labels', id: 'device_id' }

/** Labels are truncated to this length. */
const LABEL_LENGTH = 256
const isWhole = ({ value }: Predicate): boolean => value.length < LABEL_LENGTH

/** Devices with a label. */
const labelScan = (predicate: Predicate, value: Value, isExact: boolean): IndexScan => ({
  ...pinScan(predicate, 2, 'label'),
  table: labels,
  pin: { column: 'label', value },
  isExact,
})

/** A device is listed at its first label within the bounds. */
const firstLabel =
  (bounds: readonly Bound[]): Value =>
  (add) =>
    `(SELECT min(l.label COLLATE "C")
      FROM device_label_texts(d.device_key, d.name, d.tags, d.custom_fields) AS l (label)
      WHERE ${within('l.label', bounds, add)})`

/** Devices in the order of their labels, which have a common prefix. */
const labelRange = (
  predicate: Predicate,
  prefix: string,
  bounds: readonly Bound[],
  isExact: boolean,
): IndexScan => ({
  source: prefix,
  table: labels,
  key: { column: 'label', cast: 'text', ofRow: firstLabel(bounds) },
  bounds,
  isExact,
  rank: 4,
  predicates: [predicate],
})

export function tag(name: string): FieldSql {
  const prefix = `t:${name}=`
  return {
    condition: (predicate, add) =>
      columnCondition(`((d.tags ->> ${add(name)}::text) COLLATE "C")`, predicate, add),
    scans(predicate): IndexScan[] {
      const label = prefix + predicate.value
      return predicate.test === '='
        ? [labelScan(predicate, textValue(label), isWhole(predicate))]
        : [labelRange(predicate, prefix, prefixBounds(label), isWhole(predicate))]
    },
  }
}

const numberLabel =
  (prefix: string, text: string): Value =>
  (add) =>
    `(${add(`${prefix}n`)}::text || device_label_number(${add(text)}::numeric)) COLLATE "C"`

function numberBounds(prefix: string, order: Order, text: string): Bound[] {
  const [low, high] = prefixBounds(`${prefix}n`) as [Bound, Bound]
  // Labels are less precise than numbers: values equal to the bound are checked again.
  const value = numberLabel(prefix, text)
  return order === '<' || order === '<='
    ? [low, { order: '<=', value }]
    : [{ order: '>=', value }, high]
}

function scanOfScalar(predicate: Predicate, prefix: string): IndexScan {
  const { test, value, type } = predicate
  if (isOrder(test)) {
    return labelRange(predicate, prefix, numberBounds(prefix, test, value), false)
  }
  if (test === 'present') return labelRange(predicate, prefix, prefixBounds(prefix), true)
  const text = `${prefix}s${value}`
  if (test === 'prefix') {
    return labelRange(predicate, prefix, prefixBounds(text), isWhole(predicate))
  }
  if (type === 'number') return labelScan(predicate, numberLabel(prefix, value), false)
  const label = type === 'boolean' ? `${prefix}b${value}` : text
  return labelScan(predicate, textValue(label), isWhole(predicate))
}

function scalarCondition(name: string, predicate: Predicate, add: Add): string {
  const { test, value, type } = predicate
  const field = `(d.custom_fields -> ${add(name)}::text)`
  if (test === 'present') return `jsonb_typeof(${field}) <> 'null'`
  if (type === 'number') {
    // Only numbers may be cast, whatever the planner evaluates first.
    return `CASE jsonb_typeof(${field}) WHEN 'number'
      THEN (${field} #>> '{}')::numeric ${test} ${add(value)}::numeric END`
  }
  const text = `((${field} #>> '{}') COLLATE "C")`
  return `jsonb_typeof(${field}) = '${type === 'boolean' ? 'boolean' : 'string'}'
    AND ${columnCondition(text, predicate, add)}`
}

export const customField = (name: string): FieldSql => ({
  condition: (predicate, add) => scalarCondition(name, predicate, add),
  scans: (predicate) => [scanOfScalar(predicate, `c:${name}=`)],
})

/** Lower-cased by the database. */
export const lowerValue =
  (text: string): Value =>
  (add) =>
    `lower(${add(text)}::text COLLATE "default") COLLATE "C"`

/** A word of the name. */
export const word: FieldSql = {
  condition({ test, value }, add) {
    const column = '(w.word COLLATE "C")'
    const condition =
      test === 'has'
        ? `${column} = ${lowerValue(value)(add)}`
        : within(column, prefixBounds(value, lowerValue), add)
    return `EXISTS (SELECT FROM unnest(device_name_words(d.device_key, d.name)) AS w (word)
      WHERE ${condition})`
  },
  scans(predicate): IndexScan[] {
    const label = `w:${predicate.value}`
    if (predicate.test === 'has') return [labelScan(predicate, lowerValue(label), true)]
    const scan = labelRange(predicate, label, prefixBounds(label, lowerValue), false)
    return [{ ...scan, key: { ...(scan.key as ScanKey), isRepeated: true } }]
  },
}
