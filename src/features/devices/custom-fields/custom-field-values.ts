/**
 * Validates devices' custom field values, in the transaction that writes them, so that definitions
 * cannot disappear in between.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { type FieldRow, holdFields } from './store.ts'

type Values = Record<string, unknown>
export type FieldDefinitions = ReadonlyMap<string, FieldRow>

/**
 * The definitions that these patches need, by name, locked until the transaction ends. A null
 * member only removes a value and needs no definition.
 */
export async function definitionsFor(
  trx: Db,
  workspaceId: string,
  patches: Iterable<Values | null | undefined>,
): Promise<FieldDefinitions> {
  const names = new Set<string>()
  for (const patch of patches) {
    for (const [name, value] of Object.entries(patch ?? {})) if (value !== null) names.add(name)
  }
  if (names.size === 0) return new Map()
  const rows = await holdFields.rows(trx, { workspaceId, names: [...names] })
  return new Map(rows.map((row) => [row.name, row]))
}

/** The fault of a value, in words that follow its name. */
function complaintAbout(field: FieldRow, value: unknown): string | undefined {
  const { type, options, minimum, maximum, max_length } = field
  if (type === 'json') return value === null ? 'must not be null' : undefined
  if (typeof value !== type) return `must be a ${type}`
  if (typeof value === 'string') {
    if (options !== null && !options.includes(value))
      return 'must be one of the options of the field'
    if (max_length !== null && Array.from(value).length > max_length) {
      return `must have at most ${max_length} characters`
    }
  }
  if (typeof value === 'number') {
    if (minimum !== null && value < minimum) return `must be at least ${minimum}`
    if (maximum !== null && value > maximum) return `must be at most ${maximum}`
  }
  return undefined
}

const pointerTo = (name: string): string =>
  `/custom_fields/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/**
 * Validates the values that a patch sets. Others stay as they are, even if their definition has
 * changed since.
 * @param after the values with the patch merged in
 * @throws Failure invalid_request pointing at the member
 */
export function checkFieldValues(
  definitions: FieldDefinitions,
  patch: Values,
  after: Values,
): void {
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) continue
    const field = definitions.get(name)
    if (field === undefined) {
      throw invalid(pointerTo(name), 'is not a custom field of this workspace; define it first')
    }
    const complaint = complaintAbout(field, after[name])
    if (complaint !== undefined) throw invalid(pointerTo(name), complaint)
  }
}
