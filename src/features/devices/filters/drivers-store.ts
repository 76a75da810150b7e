/** The driver for each kind of filter atom. */
import { leastUuidAt } from '../../../platform/lib/ids.ts'
import { type Bound, textBounds, textValue, timeBound } from './conditions-store.ts'
import type {
  Atom,
  DeviceApproval,
  DeviceStatus,
  FilterNode,
  Order,
  TextMatch,
} from './device-filter-atoms.ts'
import { columnPin, type Driver, uuid, type Value } from './driver-store.ts'
import { customFieldDriver, tagDriver, wordDriver } from './label-drivers-store.ts'

const columns = {
  device_key: 'device_key',
  hardware_id: 'hardware_id',
  name: 'name_lower',
} as const

function textDriver(atom: Atom, on: keyof typeof columns, match: TextMatch): Driver {
  const column = match.is === 'suffix' ? 'key_reversed' : columns[on]
  const isLower = on === 'name'
  const bounds = textBounds(match, isLower)
  const whole = { source: column, table: 'devices', isExact: true, atoms: [atom] } as const
  if (bounds === undefined) {
    const value = textValue((match as { text: string }).text, isLower)
    const at = isLower ? { pin: { column, value } } : { only: { column, value } }
    return { ...whole, ...at, bounds: [], rank: isLower ? 1 : 0 }
  }
  // Without bounds, a presence test would start at null values.
  const found = bounds.length > 0 ? bounds : [{ order: '>=', value: textValue('', false) } as const]
  const key = {
    column,
    cast: 'text',
    isUnique: !isLower,
    ofDevice: () => `d.${column}`,
    isRepeated: false,
  } as const
  return { ...whole, key, bounds: found, rank: 4 }
}

function sortedBy(
  atom: Atom,
  table: 'devices' | 'device_presence',
  column: string,
  cast: 'uuid' | 'timestamptz',
  bounds: readonly Bound[],
): Driver {
  const ofDevice = (): string => `${table === 'devices' ? 'd' : 'p'}.${column}`
  const key = { column, cast, isUnique: false, ofDevice, isRepeated: false }
  return { source: column, table, key, bounds, isExact: true, rank: 4, atoms: [atom] }
}

/** Exceeds clock differences and the duration of transactions. */
const HOUR_MS = 3_600_000

/** Ids grow with time, so they approximate the time of creation. */
function createdDriver(atom: Atom & { on: 'created_at' }): Driver {
  const isBefore = atom.order === '<' || atom.order === '<='
  const least = leastUuidAt(atom.ms + (isBefore ? HOUR_MS : -HOUR_MS))
  const bound: Bound = { order: isBefore ? '<' : '>=', value: uuid(least) }
  return { ...everyDevice, source: 'id', bounds: [bound], isExact: false, rank: 5, atoms: [atom] }
}

export const everyDevice: Driver = {
  source: 'workspace_id',
  table: 'devices',
  pin: { column: 'workspace_id', value: () => '$1' },
  bounds: [],
  isExact: true,
  rank: 9,
  atoms: [],
}

function claimedDriver(atom: Atom, order: Order, ms: number): Driver {
  const bounds = [timeBound(order, ms)]
  const driver = sortedBy(atom, 'devices', 'claimed_at', 'timestamptz', bounds)
  return { ...driver, partial: 'claimed_at IS NOT NULL' }
}

const SLOT_MS = 15 * 60_000

function seenDriver(atom: Atom & { on: 'last_seen_at' }): Driver {
  const isBefore = atom.order === '<' || atom.order === '<='
  const slot = Math.floor(atom.ms / SLOT_MS) * SLOT_MS
  const bound = timeBound(isBefore ? '<=' : '>=', slot)
  const driver = sortedBy(atom, 'device_presence', 'last_seen_slot', 'timestamptz', [bound])
  return { ...driver, isExact: false }
}

const statusPin = (status: DeviceStatus): Driver => {
  const value: Value = (parameters) => parameters.add(status)
  const atom: Atom = { on: 'status', status }
  return columnPin(atom, status === 'active' ? 7 : 5, 'devices', 'status', value)
}

/** Most devices never needed approval; a partial index covers the others. */
const approvalDriver = (atom: Atom, approval: DeviceApproval): Driver =>
  approval === 'approved'
    ? { ...everyDevice, isExact: false, atoms: [atom] }
    : {
        ...columnPin(atom, 3, 'devices', 'approval', (parameters) => parameters.add(approval)),
        partial: `approval <> 'approved'`,
      }

/** Devices without a presence row were never active. */
const neverActive = (): Driver[] =>
  (['registered', 'suspended', 'decommissioned'] as const).map(statusPin)

const flagPin = (
  atom: Atom,
  table: 'devices' | 'device_presence',
  column: string,
  value: boolean,
): Driver => columnPin(atom, 6, table, column, () => String(value))

const anyId: Bound = { order: '>=', value: uuid('00000000-0000-0000-0000-000000000000') }

/** The drivers that together yield every device for which the atom holds. */
export function driversOf(node: FilterNode & { kind: 'atom' }): Driver[] {
  const { atom, isNegated } = node
  if (isNegated) return atom.on === 'seen' ? neverActive() : []
  switch (atom.on) {
    case 'id':
      return [
        { ...everyDevice, only: { column: 'id', value: uuid(atom.id) }, rank: 0, atoms: [atom] },
      ]
    case 'device_key':
    case 'hardware_id':
    case 'name':
      return [textDriver(atom, atom.on, atom.match)]
    case 'word':
      return [wordDriver(atom, atom.word, atom.isPrefix)]
    case 'status':
      return [statusPin(atom.status)]
    case 'approval':
      return [approvalDriver(atom, atom.approval)]
    case 'template':
      return [columnPin(atom, 3, 'devices', 'template_id', uuid(atom.id))]
    case 'template_present':
      return [sortedBy(atom, 'devices', 'template_id', 'uuid', [anyId])]
    case 'connected': {
      const pin = flagPin(atom, 'device_presence', 'connected', atom.value)
      return atom.value ? [pin] : [...neverActive(), pin]
    }
    case 'claimed':
      return [flagPin(atom, 'devices', 'is_claimed', atom.value)]
    case 'created_at':
      return [createdDriver(atom as Atom & { on: 'created_at' })]
    case 'claimed_at':
      return [claimedDriver(atom, atom.order, atom.ms)]
    case 'last_seen_at':
      return [seenDriver(atom as Atom & { on: 'last_seen_at' })]
    case 'seen':
      return [
        sortedBy(atom, 'device_presence', 'last_seen_slot', 'timestamptz', [timeBound('>=', 0)]),
      ]
    case 'tag':
      return [tagDriver(atom, atom.key, atom.match)]
    case 'custom_field':
      return [customFieldDriver(atom, atom.name, atom.match)]
    default:
      return [columnPin(atom, 1, 'device_group_members', 'group_id', uuid(atom.id))]
  }
}
