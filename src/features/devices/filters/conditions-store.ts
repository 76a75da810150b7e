/**
 * Translates filters to SQL conditions on a device `d` and its presence `p`. Values are parameters.
 */
import { nearestTime } from '../../../platform/lib/time.ts'
import type { Atom, FilterNode, Order, ScalarMatch, TextMatch } from './device-filter-atoms.ts'

/** Parameters of a statement; `$1` is the workspace. */
export interface Parameters {
  readonly values: unknown[]
  /** @returns the placeholder of the value */
  add(value: unknown): string
}

export function parametersOf(workspaceId: string): Parameters {
  const values: unknown[] = [workspaceId]
  return { values, add: (value) => `$${values.push(value)}` }
}

/** Sorts after every text that starts with what precedes it, bytewise in UTF-8. */
export const LAST = '\u{10ffff}'

const reversed = (text: string): string => Array.from(text).toReversed().join('')

/** A bound of a sorted column: an operator, and SQL for the value. */
export interface Bound {
  order: Order
  value: (parameters: Parameters) => string
}

export const textValue =
  (text: string, isLower: boolean) =>
  (parameters: Parameters): string => {
    const name = `${parameters.add(text)}::text`
    // Lower-cased by the database, with the rules of the column.
    return isLower ? `lower(${name} COLLATE "default") COLLATE "C"` : `${name} COLLATE "C"`
  }

/** A text match as bounds of its index column; undefined for an equality. */
export function textBounds(match: TextMatch, isLower = false): Bound[] | undefined {
  if (match.is === 'equal') return undefined
  if (match.is === 'present') return []
  if (match.is === 'compare') {
    return [{ order: match.order, value: textValue(match.text, isLower) }]
  }
  const begin = match.is === 'suffix' ? reversed(match.text) : match.text
  return [
    { order: '>=', value: textValue(begin, isLower) },
    { order: '<', value: textValue(begin + LAST, isLower) },
  ]
}

export const boundsOf = (
  parameters: Parameters,
  column: string,
  bounds: readonly Bound[],
): string[] => bounds.map(({ order, value }) => `${column} ${order} ${value(parameters)}`)

/** @param column with collation "C" */
function textCondition(
  parameters: Parameters,
  column: string,
  match: TextMatch,
  isLower = false,
): string {
  if (match.is === 'equal') return `${column} = ${textValue(match.text, isLower)(parameters)}`
  const bounds = boundsOf(parameters, column, textBounds(match, isLower) ?? [])
  return [`${column} IS NOT NULL`, ...bounds].join(' AND ')
}

function scalarCondition(parameters: Parameters, name: string, match: ScalarMatch): string {
  const field = `(d.custom_fields -> ${parameters.add(name)}::text)`
  const text = `((${field} #>> '{}') COLLATE "C")`
  const isText = `jsonb_typeof(${field}) = 'string'`
  switch (match.is) {
    case 'present':
      return `jsonb_typeof(${field}) <> 'null'`
    case 'boolean':
      return `${field} = ${match.value ? `'true'` : `'false'`}::jsonb`
    case 'text':
      return `${isText} AND ${text} = ${parameters.add(match.text)}`
    case 'prefix':
      return `${isText} AND ${textCondition(parameters, text, match as TextMatch)}`
    default: {
      const order = match.is === 'compare' ? match.order : '='
      // Only numbers may be cast, whatever the planner evaluates first.
      return `CASE jsonb_typeof(${field}) WHEN 'number'
        THEN (${field} #>> '{}')::numeric ${order} ${parameters.add(match.text)}::numeric END`
    }
  }
}

/** Times are compared as shown, truncated to milliseconds: "up to" means before the next one. */
export function timeBound(order: Order, ms: number): Bound {
  const isAfterIt = order === '<=' || order === '>'
  const at = new Date(nearestTime(ms + (isAfterIt ? 1 : 0))).toISOString()
  return {
    order: order === '<' || order === '<=' ? '<' : '>=',
    value: (parameters) => `${parameters.add(at)}::timestamptz`,
  }
}

function timeCondition(parameters: Parameters, column: string, order: Order, ms: number): string {
  const bound = timeBound(order, ms)
  return `${column} ${bound.order} ${bound.value(parameters)}`
}

const wordCondition = (parameters: Parameters, word: string, isPrefix: boolean): string =>
  `EXISTS (SELECT FROM unnest(device_name_words(d.device_key, d.name)) AS w (word)
     WHERE ${textCondition(
       parameters,
       '(w.word COLLATE "C")',
       { is: isPrefix ? 'prefix' : 'equal', text: word },
       true,
     )})`

const textColumns = {
  device_key: 'd.device_key',
  hardware_id: 'd.hardware_id',
  name: 'd.name_lower',
} as const

function conditionOf(parameters: Parameters, atom: Atom): string {
  switch (atom.on) {
    case 'id':
      return `d.id = ${parameters.add(atom.id)}::uuid`
    case 'device_key':
    case 'hardware_id':
    case 'name': {
      const column = atom.match.is === 'suffix' ? 'd.key_reversed' : textColumns[atom.on]
      return textCondition(parameters, column, atom.match, atom.on === 'name')
    }
    case 'word':
      return wordCondition(parameters, atom.word, atom.isPrefix)
    case 'status':
      return `d.status = ${parameters.add(atom.status)}`
    case 'approval':
      return `d.approval = ${parameters.add(atom.approval)}`
    case 'template':
      return `d.template_id = ${parameters.add(atom.id)}::uuid`
    case 'template_present':
      return 'd.template_id IS NOT NULL'
    case 'connected':
      return `p.connected IS ${atom.value ? '' : 'NOT '}TRUE`
    case 'claimed':
      return `d.claimed_at IS ${atom.value ? 'NOT ' : ''}NULL`
    case 'created_at':
    case 'claimed_at':
      return timeCondition(parameters, `d.${atom.on}`, atom.order, atom.ms)
    case 'last_seen_at':
      return timeCondition(parameters, 'p.last_seen_at', atom.order, atom.ms)
    case 'seen':
      return 'p.device_id IS NOT NULL'
    case 'tag': {
      const value = `((d.tags ->> ${parameters.add(atom.key)}::text) COLLATE "C")`
      return textCondition(parameters, value, atom.match)
    }
    case 'custom_field':
      return scalarCondition(parameters, atom.name, atom.match)
    default:
      return `EXISTS (SELECT FROM device_group_members g WHERE g.workspace_id = $1
        AND g.group_id = ${parameters.add(atom.id)}::uuid AND g.device_id = d.id)`
  }
}

/** True or false but never null, so that negation works. */
export const atomCondition = (parameters: Parameters, atom: Atom): string =>
  `coalesce(${conditionOf(parameters, atom)}, false)`

/** A condition on `d` and `p`: whether the device passes. */
export function nodeCondition(parameters: Parameters, node: FilterNode): string {
  if (node.kind === 'atom') {
    const condition = atomCondition(parameters, node.atom)
    return node.isNegated ? `NOT ${condition}` : condition
  }
  const parts = node.parts.map((part) => nodeCondition(parameters, part))
  return `(${parts.join(node.kind === 'and' ? ' AND ' : ' OR ')})`
}
