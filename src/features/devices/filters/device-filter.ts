/** Parses device filters, including the groups that they name. */
import type { Db } from '../../../platform/database/connect.ts'
import { readComparison } from '../../../platform/lib/filter-fields.ts'
import {
  type Comparison,
  FilterError,
  type FilterTree,
  parseFilter,
} from '../../../platform/lib/filter-grammar.ts'
import { type FilterNode, negated } from '../../../platform/lib/filter-node.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { filterFailure } from '../../common/filter-text.ts'
import { groupField, readDeviceComparison } from './device-filter-format.ts'
import { findGroupFilter } from './fields-store.ts'

/** Comparisons in a filter, including those of its groups. */
const MAX_PREDICATES = 100

interface Reading {
  db: Pick<Db, 'query'>
  workspaceId: string
  /** Whether it is the filter of a group, read for another filter. */
  isOfGroup: boolean
}

async function readGroup(reading: Reading, comparison: Comparison): Promise<FilterNode> {
  const { at, operator, value } = comparison
  const node = readComparison(comparison, groupField, ['group'])
  const id = uuidOf('grp', value.text)
  const filter = (await findGroupFilter.first(reading.db, { workspaceId: reading.workspaceId, id }))
    ?.filter
  if (filter === undefined) throw new FilterError(at.value, `group must be ${groupField.expected}`)
  if (filter === null) return node
  // Groups could otherwise name each other in a cycle.
  if (reading.isOfGroup) {
    throw new FilterError(at.value, 'group must be static in the filter of a dynamic group')
  }
  const whole = await readTree({ ...reading, isOfGroup: true }, parseFilter(filter))
  return operator === '!=' ? negated(whole) : whole
}

async function readTree(reading: Reading, tree: FilterTree): Promise<FilterNode> {
  if (tree.kind === 'not') return negated(await readTree(reading, tree.part))
  if (tree.kind === 'comparison') {
    return tree.field === 'group' ? readGroup(reading, tree) : readDeviceComparison(tree)
  }
  const parts: FilterNode[] = []
  for (const part of tree.parts) parts.push(await readTree(reading, part))
  return { kind: tree.kind, parts }
}

const countPredicates = (node: FilterNode): number =>
  node.kind === 'is' ? 1 : node.parts.reduce((sum, part) => sum + countPredicates(part), 0)

/**
 * Parses a filter and the groups of the workspace that it names.
 * @param text undefined: all devices
 * @param pointer where the filter is in the request
 * @param isOfGroup whether it is to be a group's filter, which may not name another filter group
 * @throws Failure invalid_request, at the filter and the position in it
 */
export async function readDeviceFilter(
  { db }: { db: Pick<Db, 'query'> },
  workspaceId: string,
  text: string | undefined,
  pointer = '/filter',
  isOfGroup = false,
): Promise<FilterNode | undefined> {
  if (text === undefined) return undefined
  try {
    const node = await readTree({ db, workspaceId, isOfGroup }, parseFilter(text))
    if (countPredicates(node) > MAX_PREDICATES) {
      throw new FilterError(0, `at most ${MAX_PREDICATES} comparisons, words and groups counted`)
    }
    return node
  } catch (error) {
    throw filterFailure(error, pointer)
  }
}
