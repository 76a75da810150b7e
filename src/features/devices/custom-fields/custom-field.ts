/** The rules of custom field definitions: created, changed, deleted. */
import { type Context, originOf } from '../../../context.ts'
import {
  Failure,
  found,
  invalid,
  requireRevision,
  withinLimit,
} from '../../../platform/errors/errors.ts'
import { changedFields, deviceChange, record, recordAll } from '../../../platform/record/record.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import * as schema from './schema.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import * as store from './store.ts'
import { countOneAtATime } from '../../team/active-workspaces/active-workspace.ts'
import { type Revised, revisedBy } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'
import { lockerOf, readerOf } from '../../common/resource.ts'

const MAX_FIELDS = 100
/** Counting holders stops here, which suffices for a refusal. */
const MAX_COUNT = 10_000

const viewOf = rowView<store.FieldRow>()(schema.CustomFieldView, {
  status: (row) => (row.purged_by === null ? 'active' : 'deleting'),
})

const revisedOf = revisedBy(viewOf)

const rulesOf = (row: store.FieldRules): store.FieldRules => ({
  description: row.description,
  options: row.options,
  minimum: row.minimum,
  maximum: row.maximum,
  max_length: row.max_length,
})

/** The constraints that each type supports. */
const ruledTypes = {
  options: 'string',
  max_length: 'string',
  minimum: 'number',
  maximum: 'number',
} as const

function requireSense(type: schema.FieldType, rules: store.FieldRules): void {
  for (const [name, ruled] of Object.entries(ruledTypes)) {
    const given = rules[name as keyof typeof ruledTypes]
    if (given !== null && ruled !== type) throw invalid(`/${name}`, `is for a ${ruled} field only`)
  }
  const { minimum, maximum } = rules
  if (minimum !== null && maximum !== null && minimum > maximum) {
    throw invalid('/maximum', 'is less than the minimum')
  }
}

const resourceOf = (row: store.FieldRow) => ({
  workspaceId: row.workspace_id,
  resource: { kind: 'custom_field', id: formatId('fld', row.id) },
})

export async function listCustomFields({ db, workspaceId }: Context): Promise<schema.CustomFields> {
  return { items: (await store.listFields.rows(db, { workspaceId })).map(viewOf) }
}

const lock = lockerOf(store.lockField, 'custom_field_not_found')
const read = readerOf(store.findField, 'custom_field_not_found')

export const getCustomField = async (
  context: Context,
  fieldId: string,
): Promise<Revised<schema.CustomFieldView>> => revisedOf(await read(context.db, context, fieldId))

export function createCustomField(
  context: Context,
  input: schema.CreateCustomField,
): Promise<Revised<schema.CustomFieldView>> {
  const { db, workspaceId } = context
  const { name, type, description = '' } = input
  const { options = null, minimum = null, maximum = null, max_length = null } = input
  const rules = { description, options, minimum, maximum, max_length }
  requireSense(type, rules)
  return db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    const present = await store.listFields.rows(trx, { workspaceId })
    withinLimit(present.length, 'custom_fields', MAX_FIELDS, 'custom fields')
    const key = { workspaceId, id: newUuid(), name, type }
    const row = await store.insertField.first(trx, { ...key, ...rules })
    if (row === undefined) throw new Failure('custom_field_taken')
    await record(trx, originOf(context), {
      ...resourceOf(row),
      action: 'custom_field.created',
      data: { field_id: formatId('fld', row.id), name, type, ...rules },
    })
    return revisedOf(row)
  })
}

/** Only present members change; existing values of devices are not validated again. */
export function updateCustomField(
  context: Context,
  fieldId: string,
  input: schema.UpdateCustomField,
): Promise<Revised<schema.CustomFieldView>> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const before = await lock(trx, context, fieldId)
    const rules = rulesOf({ ...before, ...input })
    requireSense(before.type, rules)
    const row = await store.updateField.one(trx, { workspaceId, id: fieldId, ...rules })
    await record(trx, originOf(context), {
      ...resourceOf(row),
      action: 'custom_field.updated',
      data: { field_id: formatId('fld', row.id), name: row.name },
      detail: changedFields(rulesOf(before), rulesOf(row)),
    })
    return revisedOf(row)
  })
}

function deviceCount(devices: number): string {
  if (devices === 1) return '1 device has'
  return devices === MAX_COUNT ? `${MAX_COUNT} or more devices have` : `${devices} devices have`
}

/**
 * Deletes a definition without values; with `purge`, also its values, some of them later.
 * @returns the definition if values remain to be removed, else null
 */
export function deleteCustomField(
  context: Context,
  fieldId: string,
  purge: boolean,
): Promise<Revised<schema.CustomFieldView> | null> {
  const { db, workspaceId, request } = context
  return db.transaction(async (trx) => {
    const row = found(
      await store.lockFieldForDeletion.first(trx, { workspaceId, id: fieldId }),
      'custom_field_not_found',
    )
    requireRevision(row.revision, request.ifMatch)
    if (row.purged_by !== null) return revisedOf(row)
    const withField = { workspaceId, name: row.name, limit: MAX_COUNT }
    const { devices } = await store.countWithValue.one(trx, withField)
    if (devices > 0 && !purge) {
      throw new Failure('custom_field_in_use', {
        detail: `${deviceCount(devices)} a value of this field.`,
      })
    }
    await record(trx, originOf(context), {
      ...resourceOf(row),
      action: 'custom_field.deleted',
      data: { field_id: formatId('fld', row.id), name: row.name, devices },
    })
    if (devices > 0) {
      const by = JSON.stringify(originOf(context))
      return revisedOf(await store.markForPurge.one(trx, { workspaceId, id: fieldId, by }))
    }
    await store.deleteField.run(trx, { workspaceId, id: fieldId })
    return null
  })
}

const PURGE_BATCH = 500

/** @returns whether there is more to do */
async function purgeBatch(trx: Db): Promise<boolean> {
  const field = await store.lockNextPurge.first(trx)
  if (field === undefined) return false
  const { workspace_id: workspaceId, id, name, purged_by } = field
  const rows = await store.purgeValues.rows(trx, { workspaceId, name, limit: PURGE_BATCH })
  await recordAll(
    trx,
    purged_by ?? serviceOrigin,
    rows.map((row) => {
      const detail = {
        before: { custom_fields: { [name]: row.value } },
        after: { custom_fields: {} },
      }
      const data = { changed: ['custom_fields'] }
      return deviceChange('device.updated', workspaceId, row.id, data, detail)
    }),
  )
  if (rows.length === 0) await store.deleteField.run(trx, { workspaceId, id })
  return true
}

/**
 * Removes values of custom fields that are being deleted, in batches that hold locks briefly. The
 * locked definition assigns the work to one process; each batch commits with its audit entries and
 * events.
 */
export async function purgeCustomFields(db: Db): Promise<void> {
  while (await db.transaction(purgeBatch));
}
