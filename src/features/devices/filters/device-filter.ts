/** Parses device filters, including the groups that they name. */
import type { Db } from '../../../platform/database/connect.ts'
import { type Failure, invalid } from '../../../platform/errors/errors.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import {
  type Comparison,
  FilterError,
  type FilterTree,
  parseFilter,
} from '../../../platform/lib/filter-grammar.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import {
  allOf,
  atomNode,
  type DeviceFilter,
  type FilterNode,
  negated,
} from './device-filter-atoms.ts'
import { readComparison } from './device-filter-fields.ts'
import { findGroupFilter } from './groups-store.ts'

export type { DeviceFilter } from './device-filter-atoms.ts'

/** Comparisons in a filter, including those of its groups. */
const MAX_ATOMS = 100

interface Reading {
  db: Pick<Db, 'query'>
  workspaceId: string
  /** Whether it is the filter of a group, read for another filter. */
  isOfGroup: boolean
  /** Remaining comparisons. */
  atomsLeft: number
}

async function readGroup(reading: Reading, comparison: Comparison): Promise<FilterNode> {
  const { at, operator, value } = comparison
  if (operator !== '=' && operator !== '!=') {
    throw new FilterError(at, 'one of the operators of this field, = !=')
  }
  const id = value.match === 'exact' ? parseId('grp', value.text) : undefined
  const filter = id && (await findGroupFilter(reading.db, reading.workspaceId, id))
  if (id === undefined || filter === undefined) {
    throw new FilterError(at, 'as its value the id of a group of this workspace, grp_…')
  }
  let node = atomNode({ on: 'group', id })
  if (filter !== null) {
    // Groups could otherwise name each other in a cycle.
    if (reading.isOfGroup) {
      throw new FilterError(at, 'a static group, because it is in the filter of a dynamic group')
    }
    node = await readTree({ ...reading, isOfGroup: true }, parseFilter(filter))
  }
  return operator === '!=' ? negated(node) : node
}

async function readTree(reading: Reading, tree: FilterTree): Promise<FilterNode> {
  if (tree.kind === 'not') return negated(await readTree(reading, tree.part))
  if (tree.kind === 'comparison') {
    return tree.field === 'group' ? readGroup(reading, tree) : readComparison(tree)
  }
  const parts: FilterNode[] = []
  for (const part of tree.parts) parts.push(await readTree(reading, part))
  return { kind: tree.kind, parts }
}

const countAtoms = (node: FilterNode): number =>
  node.kind === 'atom' ? 1 : node.parts.reduce((sum, part) => sum + countAtoms(part), 0)

const filterOf = (node: FilterNode | undefined): DeviceFilter => ({
  node,
  fingerprint: canonicalJson(node ?? null),
})

/** A 400 that points at the filter and the position in it. */
const refused = (error: FilterError, pointer: string): Failure =>
  invalid(pointer, `cannot be parsed ${error.message}`)

/**
 * Parses a filter and the groups of the workspace that it names.
 * @param text undefined: all devices
 * @param pointer where the filter is in the request
 * @param isOfGroup whether it is to be a group's filter, which may not name another filter group
 * @throws Failure invalid_request
 */
export async function readDeviceFilter(
  services: { db: Pick<Db, 'query'> },
  workspaceId: string,
  text: string | undefined,
  pointer = '/filter',
  isOfGroup = false,
): Promise<DeviceFilter> {
  if (text === undefined) return filterOf(undefined)
  try {
    const reading = { db: services.db, workspaceId, isOfGroup, atomsLeft: MAX_ATOMS }
    const node = await readTree(reading, parseFilter(text))
    if (countAtoms(node) > MAX_ATOMS) {
      throw new FilterError(0, `at most ${MAX_ATOMS} comparisons, words and groups counted`)
    }
    return filterOf(node)
  } catch (error) {
    throw error instanceof FilterError ? refused(error, pointer) : error
  }
}

/** Both must hold. */
export function bothOf(filter: DeviceFilter, nodes: readonly FilterNode[]): DeviceFilter {
  return filterOf(allOf([...nodes, ...(filter.node ? [filter.node] : [])]))
}
