/**
 * The filter fields of devices in SQL: their conditions on a device `d` and its presence `p`, and
 * the indexes by which they are found.
 */
import {
  type Bound,
  columnCondition,
  createdScan,
  everyRow,
  type FieldSql,
  idScan,
  type IndexScan,
  pinScan,
  prefixBounds,
  textValue,
  timeBound,
  within,
} from '../../../platform/database/index-scan.ts'
import type { SearchTable } from '../../../platform/database/filter-statements.ts'
import { isOrder } from '../../../platform/lib/filter-fields.ts'
import { is, type Order, type Predicate } from '../../../platform/lib/filter-node.ts'
import { NIL_UUID } from '../../../platform/lib/ids.ts'
import { customField, lowerValue, tag, word } from './label-fields-store.ts'
import { sql } from '../../../platform/database/sql.ts'

const presence = { name: 'device_presence', id: 'device_id' }
const groupMembers = { name: 'device_group_members', id: 'device_id' }

const field = (column: string, scan: (predicate: Predicate) => IndexScan): FieldSql => ({
  condition: (predicate, add) => columnCondition(column, predicate, add),
  scans: (predicate) => [scan(predicate)],
})

/** In the order of a column of the device or its presence. */
const sorted = (
  predicate: Predicate,
  column: string,
  bound: Bound,
  table?: IndexScan['table'],
): IndexScan => {
  const cast = column === 'template_id' ? 'uuid' : 'timestamptz'
  const key = { column, cast, ofRow: () => `${table ? 'p' : 'd'}.${column}` } as const
  const scan = { source: column, key, bounds: [bound], isExact: true, rank: 4 }
  return { ...scan, ...(table && { table }), predicates: [predicate] }
}

const reversed = (text: string): string => Array.from(text).toReversed().join('')

/** A text that has an index in its order. */
function textField(column: string, value = textValue, isUnique = true): FieldSql {
  const columnOf = ({ test }: Predicate): string => (test === 'suffix' ? 'key_reversed' : column)
  // Without bounds, a presence test would start at null values.
  const boundsOf = ({ test, value: text }: Predicate): Bound[] => {
    if (isOrder(test)) return [{ order: test, value: value(text) }]
    if (test === 'present') return [{ order: '>=', value: textValue('') }]
    return prefixBounds(test === 'suffix' ? reversed(text) : text, value)
  }
  return {
    condition: (predicate, add) =>
      predicate.test === '='
        ? `d.${column} = ${value(predicate.value)(add)}`
        : within(`d.${columnOf(predicate)}`, boundsOf(predicate), add),
    scans(predicate): IndexScan[] {
      if (predicate.test === '=') {
        const pin = { column, value: value(predicate.value), isUnique }
        return [{ ...pinScan(predicate, isUnique ? 0 : 1, column), pin }]
      }
      const by = columnOf(predicate)
      const key = { column: by, cast: 'text', isUnique, ofRow: () => `d.${by}` } as const
      const bounds = boundsOf(predicate)
      return [{ source: by, key, bounds, isExact: true, rank: 4, predicates: [predicate] }]
    },
  }
}

const statusScan = (status: string): IndexScan =>
  pinScan(is('status', '=', status), status === 'active' ? 7 : 5, 'status')

const approvalScan = (approval: string): IndexScan => {
  const predicate = is('approval', '=', approval)
  // Most devices never needed approval; a partial index covers the others.
  return approval === 'approved'
    ? { ...everyRow, isExact: false, predicates: [predicate] }
    : { ...pinScan(predicate, 3, 'approval'), partial: `approval <> 'approved'` }
}

/** One of few values: the negation is any of the others. */
const oneOf = (
  column: string,
  values: readonly string[],
  scans: (value: string) => IndexScan | readonly IndexScan[],
): FieldSql => ({
  condition: (predicate, add) => columnCondition(column, predicate, add),
  scans: ({ value }) => [scans(value)].flat(),
  scansOfNegation: ({ value }) => values.filter((each) => each !== value).flatMap(scans),
})

/** Devices without a presence row were never active. */
const neverActive = (): IndexScan[] =>
  ['registered', 'suspended', 'decommissioned'].map((status) => ({
    ...statusScan(status),
    isExact: false,
  }))

const connectedScans = (value: string): IndexScan[] => [
  ...(value === 'true' ? [] : neverActive()),
  { ...pinScan(is('connected', '=', value), 6, 'connected'), table: presence },
]

const claimedScan = (value: string): IndexScan =>
  pinScan(is('claimed', '=', value), 6, 'is_claimed')

function claimedAtScan(predicate: Predicate): IndexScan {
  if (predicate.test === 'present') return claimedScan('true')
  const bound = timeBound(predicate.test as Order, predicate.value)
  return { ...sorted(predicate, 'claimed_at', bound), partial: 'claimed_at IS NOT NULL' }
}

const EPOCH = new Date(0).toISOString()
const SLOT_MS = 15 * 60_000

/** The index is by quarters of an hour. */
function seenScan(predicate: Predicate): IndexScan {
  const column = 'last_seen_slot'
  if (predicate.test === 'present') {
    return sorted(predicate, column, timeBound('>=', EPOCH), presence)
  }
  const isBefore = predicate.test === '<' || predicate.test === '<='
  const slot = Math.floor(Date.parse(predicate.value) / SLOT_MS) * SLOT_MS
  const bound = timeBound(isBefore ? '<=' : '>=', new Date(slot).toISOString())
  return { ...sorted(predicate, column, bound, presence), isExact: false }
}

const anyTemplate: Bound = {
  order: '>=',
  value: (add) => `${add(NIL_UUID)}::uuid`,
}

const group: FieldSql = {
  condition: ({ value }, add) => `EXISTS (SELECT FROM device_group_members g
    WHERE g.workspace_id = $1 AND g.group_id = ${add(value)}::uuid AND g.device_id = d.id)`,
  scans: (predicate) => [{ ...pinScan(predicate, 1, 'group_id'), table: groupMembers }],
}

const isWord = ({ test }: Predicate): boolean => test === 'has' || test === 'has-prefix'

const BOOLEANS = ['true', 'false']
const name = textField('name_lower', lowerValue, false)

const fields: Readonly<Record<string, FieldSql>> = {
  id: field('d.id', idScan),
  device_key: textField('device_key'),
  hardware_id: textField('hardware_id'),
  name: {
    condition: (predicate, add) => (isWord(predicate) ? word : name).condition(predicate, add),
    scans: (predicate) => (isWord(predicate) ? word : name).scans(predicate),
  },
  status: oneOf('d.status', ['registered', 'active', 'suspended', 'decommissioned'], statusScan),
  approval: oneOf('d.approval', ['approved', 'pending', 'rejected'], approvalScan),
  template_id: field('d.template_id', (predicate) =>
    predicate.test === 'present'
      ? sorted(predicate, 'template_id', anyTemplate)
      : pinScan(predicate, 3, 'template_id'),
  ),
  connected: oneOf('coalesce(p.connected, false)', BOOLEANS, connectedScans),
  claimed: oneOf('d.is_claimed', BOOLEANS, claimedScan),
  created_at: field('d.created_at', createdScan),
  claimed_at: field('d.claimed_at', claimedAtScan),
  last_seen_at: {
    ...field('p.last_seen_at', seenScan),
    scansOfNegation: ({ test }) => (test === 'present' ? neverActive() : []),
  },
  group,
}

function fieldOf(path: string): FieldSql {
  if (path.startsWith('tags.')) return tag(path.slice('tags.'.length))
  if (path.startsWith('custom_fields.')) return customField(path.slice('custom_fields.'.length))
  return fields[path] as FieldSql
}

export const deviceTable: SearchTable = {
  table: 'devices',
  order: { column: 'id', type: 'uuid' },
  checked: {
    rows: `FROM devices d
      LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id
      WHERE d.workspace_id = $1`,
    id: 'd.id',
  },
  fieldOf,
}

// Looks up groups named in a filter.

/**
 * @returns the group's filter; null if its members are explicit; undefined if there is no such
 * group
 */
export const findGroupFilter = sql('device_filters.group')`
  SELECT filter FROM device_groups WHERE workspace_id = $workspaceId AND id = $id`
